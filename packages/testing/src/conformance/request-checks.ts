import { AgentScopeError, type ImageBlock, replaceAmbient, systemMsg } from "@agentscope-ts/message"
import type { ChatParams, ChatRequest } from "@agentscope-ts/model"
import type { Cassette } from "../cassette.ts"
import { memoryFetch } from "./answer-from-memory.ts"
import { pixel, pixelBlock } from "./call.ts"
import type { ConformanceCheck } from "./conformance-check.ts"
import { must, told } from "./expectation.ts"
import { isStream } from "./find-cassettes.ts"
import type { ModelConformanceSuite } from "./model-suite.ts"
import {
  call,
  called,
  found,
  messages,
  question,
  schema,
  schemaWords,
  tools,
  toolWords,
  values,
  webPicture,
  wishes,
} from "./sample-request.ts"
import { hasValue, type Outgone, pictureUrl, says, sendingTo, timesOf, warnsOf } from "./sent-request.ts"

/** All that a caller asks for goes out, or the caller is told that it does not. `seeing` takes images. */
export function requestChecks(suite: ModelConformanceSuite, plain: Cassette, seeing: Cassette): ConformanceCheck[] {
  const send = sendingTo(suite, plain)
  const show = sendingTo(suite, seeing)
  /** The request both ways: what is sent may differ. */
  const bothWays = async (
    request: ChatRequest,
    check: (gone: Outgone, how: string) => unknown,
    by = send,
  ): Promise<void> => {
    for (const streaming of [false, true]) {
      const how = streaming ? "`stream`" : "`generate`"
      await check(await by(request, streaming), how)
    }
  }
  const mustSay = (gone: Outgone, parts: readonly string[], what: string, how: string): void => {
    const missing = parts.filter((part) => !says(gone, part))
    must(missing.length === 0, `${how}: the request lacks ${what}: ${missing.join(", ")}`)
  }
  const mustShow = async (block: ImageBlock, data: readonly string[]): Promise<void> => {
    const bare = await show({ messages })
    const asked = { messages: [{ ...question, content: [...question.content, block] }] }
    await bothWays(
      asked,
      (gone, how) => {
        const shown = data.some((part) => says(gone, part)) || (suite.images === false && gone.body !== bare.body)
        must(shown || gone.words.length > 0, `${how}: the request lacks the picture, and no warning says so`)
      },
      show,
    )
  }

  const checks: Record<string, () => Promise<void>> = {
    "has its tools, with descriptions and all their properties": () =>
      bothWays({ messages, tools }, (gone, how) => {
        const named = tools.flatMap(({ name, description = "" }) => [name, description])
        mustSay(gone, [...named, ...toolWords], "parts of the tools", how)
      }),
    "changes with `toolChoice`, or a warning names it": async () => {
      for (const streaming of [false, true]) {
        const seen = new Map([[(await send({ messages, tools }, streaming)).whole, "none at all"]])
        for (const toolChoice of ["none", "required", { name: "find_lodging" }, { name: "read_tide_table" }] as const) {
          const asked = JSON.stringify(toolChoice)
          const gone = await send({ messages, tools, toolChoice }, streaming)
          const twin = seen.get(gone.whole)
          const isTold = warnsOf(gone, "toolChoice")
          must(twin === undefined || isTold, `toolChoice ${asked} sent the same request as ${twin}, without a warning`)
          seen.set(gone.whole, asked)
        }
      }
    },
    "is held to its `schema`": async () => {
      for (const offered of [undefined, tools]) {
        await bothWays({ messages, tools: offered, schema }, (gone, how) => {
          mustSay(gone, schemaWords, `properties of the schema (${offered ? "with" : "without"} tools)`, how)
        })
      }
    },
    "never has an answer as `structured` that does not fit its `schema`": async () => {
      const { status, headers, body } = plain.response
      const { fetch } = memoryFetch({ status, headers, pieces: [Buffer.from(body)] })
      const model = suite.create({ url: "http://127.0.0.1:9", fetch, live: false, cassette: plain })
      const asked = { messages, schema }
      const restore = replaceAmbient({ sleep: () => Promise.resolve() })
      let structured: unknown
      try {
        const call = isStream(plain) ? model.stream(asked).response : model.generate(asked)
        structured = (await call).structured
      } catch (error) {
        must(AgentScopeError.is(error), `the call ended with ${told(error)}`)
      } finally {
        restore()
      }
      must(structured === undefined, "an answer that does not fit was given as right")
    },
    "has the texts of its system message and its user": () =>
      bothWays({ messages: [systemMsg("Speak like a keeper of lighthouses."), ...messages] }, (gone, how) =>
        mustSay(gone, ["Speak like a keeper of lighthouses.", "A room near the harbour, please."], "texts", how),
      ),
    "has the name and the arguments of a call, and the text of its result": async () => {
      const before = timesOf(await send({ messages, tools }), call.name)
      await bothWays(called([found]), (gone, how) => {
        mustSay(gone, ["Speicherstadt", found.text], "arguments of the call, or its result", how)
        must(hasValue(gone, 41), `${how}: the request lacks a number among the arguments of the call`)
        must(timesOf(gone, call.name) > before, `${how}: the request lacks the name of the call`)
      })
    },
    "has a picture's data": () => mustShow(pixelBlock, [pixel]),
    "has a picture's address, or fetches it": () => mustShow(webPicture, [pixel, pictureUrl]),
    "shows a picture of a tool's result, or says where it is": async () => {
      const bare = await show(called([found]))
      const gone = await show(called([found, pixelBlock]))
      must(gone.body !== bare.body || gone.words.length > 0, "the picture was left out, and no warning says so")
    },
    "has its `reasoning`, or a warning names it": async () => {
      for (const streaming of [false, true]) {
        const bare = await send({ messages }, streaming)
        for (const reasoning of wishes) {
          const gone = await send({ messages, params: { reasoning } }, streaming)
          const isTold = gone.whole !== bare.whole || warnsOf(gone, "reasoning")
          must(isTold, `reasoning ${JSON.stringify(reasoning)} changes nothing, and no warning names it`)
        }
      }
    },
  }
  const mustHave = (params: ChatParams): Promise<void> =>
    bothWays({ messages, params }, (gone, how) => {
      for (const [name, value] of Object.entries(params)) {
        const isThere = name === "reasoning" || hasValue(gone, value)
        must(isThere || warnsOf(gone, name), `${how}: ${name} is neither sent nor named by a warning`)
      }
    })
  for (const [name, value] of Object.entries(values)) {
    checks[`has its \`${name}\`, or a warning names it`] = () => mustHave({ [name]: value })
  }
  checks["has all settings together, or warnings name those that are not sent"] = async () => {
    await mustHave(values)
    for (const reasoning of wishes) await mustHave({ ...values, reasoning })
  }
  return Object.entries(checks).map(([name, run]) => ({ group: "a request", name, timeoutMs: 20_000, run }))
}
