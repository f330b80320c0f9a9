import { assistantMsg, type Msg, toolResultMsg, toolUsesOf, userMsg } from "@agentscope-ts/message"
import { type ChatModel, guardHistory, type ToolSchema, validateHistory } from "@agentscope-ts/model"
import { type ReplayedRequest, type ReplayServer, startReplayServer } from "@agentscope-ts/testing"
import { describe, expect, it } from "vitest"
import { type Provider, providers } from "./providers.ts"
import { pairingProblems, sentCalls } from "./sent-history.ts"
import { answerIn, type Saying } from "./wire-answers.ts"

const tools: readonly ToolSchema[] = [
  { name: "look", parameters: { type: "object", properties: { at: { type: "string" } }, required: ["at"] } },
]
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const image = { type: "image", source: { type: "base64", mediaType: "image/png", data: png } } as const

/** What each provider's call ids look like, where it gives any. */
const idsOf: Readonly<Record<string, (turn: string) => string>> = {
  AnthropicChatModel: (turn) => `toolu_01${turn}_${"a".repeat(70)}`,
  DashScopeChatModel: (turn) => `functions.look:${turn}`,
  DeepSeekChatModel: (turn) => `call_00_${turn}`,
  MistralChatModel: (turn) => `m${turn.replaceAll(/\W/g, "").padStart(8, "0")}`,
  OpenAIChatModel: (turn) => `call_${turn}`,
  OpenAIResponsesModel: (turn) => `call_${turn}_resp`,
}

interface Step {
  readonly provider: Provider
  readonly turn: number
  /** What the user says; every third provider takes over in the middle of a turn, with the results. */
  readonly asked: Msg | undefined
  readonly saying: Saying
}

/** A provider asks for two tools, the next one takes their results over, says something, and so on to the end and back. */
function planFrom(start: number): Step[] {
  const there = [...providers.slice(start), ...providers.slice(0, start)]
  const way = [...there, ...there.toReversed()]
  return way.map((provider, turn) => {
    // every third turn only talks
    const asked = turn % 3 === 2 ? [] : ["a", "b"]
    const calls = asked.map((which) => ({
      id: idsOf[provider.name]?.(`${turn}${which}`) ?? "",
      name: "look",
      input: { at: `place-${turn}${which}.` },
    }))
    const saying = {
      thinking: `thought-${turn}.`,
      sealed: `c2VhbGVk${turn}Q${provider.name}Q`,
      text: `said-${turn}.`,
      calls,
    }
    const parts = [{ type: "text" as const, text: `asked-${turn}.` }, ...(turn % 2 === 0 ? [image] : [])]
    return { provider, turn, asked: turn % 3 === 1 ? undefined : userMsg(parts), saying }
  })
}

describe.each(providers.map(({ name }, start) => [name, start] as const))(
  "a conversation that starts on %s",
  (_, start) => {
    it("goes on through all the others and back", async () => {
      const plan = planFrom(start)
      await using stack = new AsyncDisposableStack()
      const seats = new Map<string, { server: ReplayServer; model: ChatModel }>()
      for (const provider of providers) {
        const answers = plan
          .filter((step) => step.provider === provider)
          .map(({ saying }) => answerIn(provider.wire, saying))
        const server = stack.use(await startReplayServer(answers, { once: true }))
        const model = provider.create({ url: server.url, fetch: globalThis.fetch, live: true })
        seats.set(provider.name, { server, model })
      }

      const conversation = {}
      const ids = new Map<string, string>()
      let messages: readonly Msg[] = []
      for (const step of plan) {
        const { provider, saying } = step
        const { server, model } = seats.get(provider.name) as { server: ReplayServer; model: ChatModel }
        if (step.asked) messages = [...messages, step.asked]
        for (const { dialect } of providers)
          expect(validateHistory(guardHistory(messages, dialect), dialect), dialect.provider).toEqual([])
        const response = await model.stream({ messages, conversation, tools }).response
        checkRequest(server.requests.at(-1), step, plan, ids)
        expect(toolUsesOf(response).map((call) => call.input)).toEqual(saying.calls.map((call) => call.input))

        const calls = toolUsesOf(response)
        const results = calls.map(({ id, name, input }) => ({
          type: "tool_result" as const,
          id,
          name,
          output: [{ type: "text" as const, text: `seen at ${input["at"] as string}` }],
          state: "success" as const,
        }))
        // through JSON, as a saved session comes back, but for what was there before
        const more = [assistantMsg(response.content), ...(results.length > 0 ? [toolResultMsg(results)] : [])]
        messages = [...messages, ...(JSON.parse(JSON.stringify(more)) as readonly Msg[])]
      }
      for (const { server } of seats.values()) expect(server.requests.every(({ path }) => path !== "")).toBe(true)
    })
  },
)

/** The request of a step carries all that was said before, in the provider's own terms. */
function checkRequest(
  request: ReplayedRequest | undefined,
  step: Step,
  plan: readonly Step[],
  ids: Map<string, string>,
): void {
  const { provider, turn } = step
  const raw = JSON.stringify(request?.body)
  const at = `${provider.name} at turn ${turn}`
  const before = plan.slice(0, turn)

  // what was asked, said and found, each once and in order
  const steps = plan.slice(0, turn + 1)
  const texts = steps.flatMap(({ asked, saying }, i) => [
    ...(asked ? [`asked-${i}.`] : []),
    ...(i < turn ? [saying.text] : []),
  ])
  expect(
    texts.map((text) => raw.split(text).length - 1),
    at,
  ).toEqual(texts.map(() => 1))
  const places = texts.map((text) => raw.indexOf(text))
  expect(places, at).toEqual(places.toSorted((a, b) => a - b))
  const shown = steps.filter(({ asked }) => asked?.content.includes(image)).length
  if (provider.images !== false) expect(raw.split(png).length - 1, `images of ${at}`).toBe(shown)

  // calls and their results
  const calls = sentCalls(request?.body)
  expect(pairingProblems(calls), at).toEqual([])
  const made = before.flatMap(({ saying }) => saying.calls)
  const sent = calls.filter(({ kind }) => kind === "call")
  expect(sent.length, at).toBe(made.length)
  const results = calls.filter(({ kind }) => kind === "result")
  for (const [i, { id, name, text }] of sent.entries()) {
    const place = made[i]?.input as { readonly at: string }
    expect(text, at).toContain(place.at)
    expect(results[i]?.text, at).toContain(`seen at ${place.at}`)
    expect(name, at).toBe("look")
    if (id === undefined) continue
    const { pattern = /./, maxLength = 1000 } = provider.dialect.toolCallId ?? {}
    expect(pattern.test(id) && id.length <= maxLength, `${at}: id ${id}`).toBe(true)
    // the same id in each request to the same provider
    const key = `${provider.name} ${place.at}`
    expect(id, at).toBe(ids.get(key) ?? id)
    ids.set(key, id)
  }
  for (const { saying, provider: maker } of before) {
    const own = maker === provider
    for (const call of saying.calls)
      if (own && call.id !== "") expect(raw, `own ids of ${at}`).toContain(JSON.stringify(call.id))
    // what a provider signed goes back to it, and to nobody else
    if (maker.seals) expect(raw.includes(saying.sealed), `${at}: sealed by ${maker.name} at ${saying.text}`).toBe(own)
  }
}
