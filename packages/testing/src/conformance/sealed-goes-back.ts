import { assistantMsg, type Msg, toolResult, toolResultMsg, toolUsesOf, userMsg } from "@agentscope-ts/message"
import { withRetry } from "@agentscope-ts/model"
import type { Cassette } from "../cassette.ts"
import { memoryFetch } from "./answer-from-memory.ts"
import { callOnce, requestFor } from "./call.ts"
import { must } from "./expectation.ts"
import { isStream } from "./find-cassettes.ts"
import type { ModelConformanceSuite } from "./model-suite.ts"
import { sealedBy } from "./opaque-data.ts"

/** What the provider signed or encrypted in an answer stands in the next request, byte for byte. */
export async function checkGoesBack(suite: ModelConformanceSuite, cassette: Cassette): Promise<void> {
  const { status, headers, body } = cassette.response
  const { fetch, sent } = memoryFetch({ status, headers, pieces: [Buffer.from(body)] })
  const model = suite.create({ url: "http://127.0.0.1:9", fetch, live: false, cassette })
  const request = requestFor(cassette, suite)
  const { response } = await callOnce(model, cassette, request)
  const sealed = sealedBy(response, cassette)
  if (sealed.length === 0) return
  const calls = toolUsesOf(response)
  const next: Msg =
    calls.length > 0 ? toolResultMsg(calls.map((call) => toolResult(call, "done"))) : userMsg("and now?")
  // through JSON, as a saved session comes back
  const answer = JSON.parse(JSON.stringify(assistantMsg(response.content))) as Msg
  const again = { ...request, messages: [...request.messages, answer, next] }
  const once = withRetry(model, { maxRetries: 0 })
  const call = isStream(cassette) ? once.stream(again).response : once.generate(again)
  await call
  const went = sent.at(-1)?.body ?? ""
  for (const value of sealed) {
    const json = JSON.stringify(value).slice(1, -1)
    must(went.includes(json), `the next request lacks what the provider sealed: ${json.slice(0, 60)}…`)
  }
}
