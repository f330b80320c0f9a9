import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { assistantMsg, type Msg, textOf, userMsg } from "@agentscope-ts/message"
import { OpenAIChatModel } from "@agentscope-ts/model-openai"
import { describe, expect, test } from "vitest"
import { agentWith } from "../fixtures/long-talks.ts"
import { eventsOf, expectValid, memoryOf, ofType } from "../fixtures/runs.ts"
import { notes } from "../fixtures/summaries.ts"

type Refuse = (response: ServerResponse) => void
interface Body {
  readonly stream?: boolean
  readonly messages: readonly { readonly content: unknown }[]
}

const said = ({ messages }: Body, index = 0): string => JSON.stringify(messages[index]?.content)

const json =
  (status: number, body: object): Refuse =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
  }
const inStream =
  (body: object): Refuse =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).end(`data: ${JSON.stringify(body)}\n\n`)
  }

/** A server whose model has room for so many characters, and refuses what is longer in its own words. */
async function smallModel(room: number, refuse: Refuse) {
  const bodies: Body[] = []
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (piece: string) => (body += piece))
    request.on("end", () => {
      const asked = JSON.parse(body) as Body
      bodies.push(asked)
      const { length } = JSON.stringify(asked.messages)
      if (length > room) return refuse(response)
      const content = said(asked).includes("You keep the notes") ? notes("They talked.") : "Fine."
      const head = { id: "c", model: "m" }
      if (!asked.stream) {
        return json(200, {
          ...head,
          choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
        })(response)
      }
      response.writeHead(200, { "content-type": "text/event-stream" })
      for (const choice of [
        { delta: { content }, finish_reason: null },
        { delta: {}, finish_reason: "stop" },
      ]) {
        response.write(`data: ${JSON.stringify({ ...head, choices: [{ index: 0, ...choice }] })}\n\n`)
      }
      response.end("data: [DONE]\n\n")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return {
    bodies,
    model: new OpenAIChatModel({ model: "small", apiKey: "k", baseURL, maxRetries: 0 }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const talk = (count: number): Msg[] =>
  Array.from({ length: count }, (_, i) =>
    i % 2 === 0
      ? userMsg(`${i} ${"word ".repeat(100)}`)
      : assistantMsg(`${i} ${"word ".repeat(100)}`, { name: "Friday" }),
  )
const error = (message: string, more: object = {}) => ({ error: { message, type: "invalid_request_error", ...more } })

const forms: [string, Refuse][] = [
  ["a code", json(400, error("Please shorten it.", { code: "context_length_exceeded" }))],
  ["a text about the prompt", json(400, error("prompt is too long: 267657 > 262143"))],
  [
    "a text about the input",
    json(400, error("Input length (265330) exceeds model's maximum context length (262144).")),
  ],
  [
    "a text about the request",
    json(400, error("request (124071 tokens) exceeds the available context size (123904 tokens)")),
  ],
  ["a code inside the stream", inStream(error("Too long.", { code: "context_length_exceeded" }))],
]

describe("FR-27 a prompt that the provider finds too long is compacted once, and sent again", () => {
  test.each(forms)("told by %s", async (_what, refuse) => {
    await using server = await smallModel(10_000, refuse)
    const { model, bodies } = server
    const agent = agentWith(talk(20), { model, compaction: { triggerTokens: 100_000 } })
    const events = await eventsOf(agent.stream("And now?"))
    expect(ofType(events, "compaction")).toHaveLength(1)
    expect(ofType(events, "model_start")).toHaveLength(2)
    expect(ofType(events, "model_end").map(({ stopReason }) => stopReason)).toEqual(["error", "stop"])
    expect(ofType(events, "error")).toEqual([])
    expect(textOf(memoryOf(agent).at(-1)!)).toBe("Fine.")
    expect(textOf(memoryOf(agent)[0]!)).toContain("They talked.")
    expect(memoryOf(agent).length).toBeLessThan(22)
    expectValid(memoryOf(agent))
    // the request that was refused, the summary (in parts, where it was too long itself), and the one that was not
    expect(bodies.filter((body) => said(body).includes("Help."))).toHaveLength(2)
  })

  test("without streaming, too", async () => {
    await using server = await smallModel(10_000, forms[0]![1])
    const agent = agentWith(talk(20), {
      model: server.model,
      streaming: false,
      compaction: { triggerTokens: 100_000 },
    })
    expect(textOf(await agent.reply("And now?"))).toBe("Fine.")
  })

  test("is an error where it is too long again, and not asked without end", async () => {
    await using server = await smallModel(10, (response) => forms[1]![1](response))
    await using summaries = await smallModel(1e9, forms[0]![1])
    const agent = agentWith(talk(20), {
      model: server.model,
      compaction: { triggerTokens: 100_000, model: summaries.model },
    })
    await expect(agent.reply("And now?")).rejects.toMatchObject({ code: "context_overflow" })
    expect(server.bodies).toHaveLength(2)
    expect(summaries.bodies).toHaveLength(1)
    expectValid(memoryOf(agent))
  })

  test("is an error where nothing can be made shorter, or no summary is written: the history stays as it was", async () => {
    await using server = await smallModel(10, forms[0]![1])
    const past = talk(20)
    const agent = agentWith(past, { model: server.model, compaction: { triggerTokens: 100_000 } })
    await expect(agent.reply("And now?")).rejects.toMatchObject({ code: "context_overflow" })
    expect(memoryOf(agent).slice(0, 20)).toEqual(past)
    expect(server.bodies.length).toBeLessThan(12)
    const short = agentWith([], { model: server.model, compaction: { triggerTokens: 100_000 } })
    await expect(short.reply("word ".repeat(9000))).rejects.toMatchObject({ code: "context_overflow" })
  })

  test("is an error at once for an agent that does not compact", async () => {
    await using server = await smallModel(100, forms[0]![1])
    const agent = agentWith(talk(4), { model: server.model })
    await expect(agent.reply("And now?")).rejects.toMatchObject({ code: "context_overflow" })
    expect(server.bodies).toHaveLength(1)
  })

  test("the next time the history is compacted before the provider refuses it", async () => {
    await using server = await smallModel(10_000, forms[0]![1])
    const agent = agentWith(talk(20), { model: server.model, compaction: { triggerTokens: 100_000, keepRecent: 2 } })
    await agent.reply("And now?")
    const before = server.bodies.length
    for (let i = 0; i < 60; i++) await agent.reply(`${i} ${"word ".repeat(100)}`)
    // the limit is felt for: once more at most, and not with each time that the history has grown
    const refused = server.bodies.slice(before).filter(({ messages }) => JSON.stringify(messages).length > 10_000)
    expect(refused.length).toBeLessThan(2)
  })
})
