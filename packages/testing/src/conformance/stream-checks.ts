import { AgentScopeError, textOf } from "@agentscope-ts/message"
import { type ChatResponse, withRetry } from "@agentscope-ts/model"
import { startReplayServer } from "../replay-server.ts"
import type { ReplayOptions } from "../replay-options.ts"
import { requestFor } from "./call.ts"
import type { ConformanceCheck } from "./conformance-check.ts"
import { expectationOf, must, mustEqual, told } from "./expectation.ts"
import type { ModelConformanceSuite } from "./model-suite.ts"
import type { SampleStream } from "./sample-stream.ts"
import { failureOfCall, until, within } from "./within.ts"

const promptly = 3000

/** What happens when an answer is given up, or breaks off, in the middle. */
export function streamChecks(suite: ModelConformanceSuite, { cassette, middle }: SampleStream): ConformanceCheck[] {
  const request = requestFor(cassette, suite)
  const over = async (options: ReplayOptions, use: (server: Server) => Promise<void>) => {
    await using server = await startReplayServer(cassette, options)
    const model = suite.create({ url: server.url, fetch: globalThis.fetch, live: true, cassette })
    await use({ server, model: withRetry(model, { maxRetries: 2, initialDelayMs: 1 }) })
  }
  const stalled = { stallAfterBytes: middle }
  const checks: Record<string, () => Promise<void>> = {
    "an abort in the middle rejects promptly and closes the connection": () =>
      over(stalled, async ({ server, model }) => {
        const controller = new AbortController()
        const reason = new AgentScopeError({ code: "enough", message: "enough" })
        const stream = model.stream({ ...request, signal: controller.signal })
        const call = stream.drive({ onDelta: () => setImmediate(() => controller.abort(reason)) })
        const error = await within(promptly, "the aborted call rejected", failureOfCall(call))
        must(AgentScopeError.is(error, "aborted"), `the aborted call ended with ${told(error)}`)
        must(error.cause === reason, "the error's cause is not the signal's reason")
        checkPartial(stream.partial(), "interrupted")
        await until(promptly, "the connection was closed", () => server.openConnections === 0)
      }),
    "an abort before any answer rejects promptly and closes the connection": () =>
      over({ stallAfterBytes: 0 }, async ({ server, model }) => {
        const controller = new AbortController()
        const call = failureOfCall(model.stream({ ...request, signal: controller.signal }).response)
        await until(promptly, "the request arrived", () => server.requests.length > 0)
        controller.abort()
        const error = await within(promptly, "the aborted call rejected", call)
        must(AgentScopeError.is(error, "aborted"), `the aborted call ended with ${told(error)}`)
        await until(promptly, "the connection was closed", () => server.openConnections === 0)
      }),
    "leaving the iterator early closes the connection": () =>
      over(stalled, async ({ server, model }) => {
        const first = async (): Promise<void> => {
          for await (const _ of model.stream(request)) break
        }
        await within(promptly, "something of the answer came", first())
        await until(promptly, "the connection was closed", () => server.openConnections === 0)
      }),
    "a connection that breaks in the middle is a retryable error that keeps what had come": () =>
      over({ disconnectAfterBytes: middle }, async ({ server, model }) => {
        const stream = model.stream(request)
        checkBroken(await within(promptly, "the call rejected", failureOfCall(stream.response)))
        checkPartial(stream.partial(), "error")
        mustEqual(server.requests.length, 1, "requests (after visible output nothing is tried again)")
      }),
    "a body that ends in the middle is a retryable error that keeps what had come": () =>
      over({ disconnectAfterBytes: middle, disconnectMode: "end" }, async ({ server, model }) => {
        const stream = model.stream(request)
        checkBroken(await within(promptly, "the call rejected", failureOfCall(stream.response)))
        checkPartial(stream.partial(), "error")
        mustEqual(server.requests.length, 1, "requests (after visible output nothing is tried again)")
      }),
    "a failure that the iterator tells of is no unhandled rejection": () =>
      over({ disconnectAfterBytes: middle }, async ({ model }) => {
        let unhandled = 0
        const count = (): void => void unhandled++
        process.on("unhandledRejection", count)
        try {
          const error = await within(promptly, "the iterator threw", failureOfCall(drained(model.stream(request))))
          must(AgentScopeError.is(error), `the iterator threw ${told(error)}`)
          for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
          mustEqual(unhandled, 0, "unhandled rejections")
        } finally {
          process.off("unhandledRejection", count)
        }
      }),
  }
  const checkPartial = (partial: ChatResponse, stopReason: string): void => {
    mustEqual(partial.stopReason, stopReason, "stopReason of partial()")
    must(partial.content.length > 0, "partial() lost what had come")
    const text = textOf(partial, "")
    must(expectationOf(cassette).text.startsWith(text), `partial() has a text that never came: ${text}`)
  }
  return Object.entries(checks).map(([name, run]) => ({
    group: "in the middle of an answer",
    name,
    timeoutMs: 20_000,
    run,
  }))
}

interface Server {
  readonly server: Awaited<ReturnType<typeof startReplayServer>>
  readonly model: ReturnType<typeof withRetry>
}

function checkBroken(error: unknown): void {
  must(AgentScopeError.is(error), `an answer that broke off ended with ${told(error)}`)
  must(error.retryable, `the error of an answer that broke off ("${error.code}") is not retryable`)
}

async function drained(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream);
}
