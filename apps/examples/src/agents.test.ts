import { createServer } from "node:http"
import { expect, it } from "vitest"
import { listen } from "./fixtures/listen.ts"
import { startLoopback, type WireRequest } from "./fixtures/loopback-openai.ts"
import { path, run } from "./fixtures/run-program.ts"

const textsOf = ({ messages }: WireRequest): readonly string[] =>
  messages.flatMap(({ content }) =>
    typeof content === "string" ? content : (content as { readonly text: string }[]).map(({ text }) => text),
  )

/** Says something, and ends only when told to; keeps what it was sent, and which answers were left before their end. */
async function startSlow(endsAfterMs: readonly (number | undefined)[]) {
  const requests: WireRequest[] = []
  const left: number[] = []
  const server = createServer(async (incoming, response) => {
    let body = ""
    for await (const chunk of incoming.setEncoding("utf8")) body += chunk as string
    const count = requests.push(JSON.parse(body) as WireRequest)
    response.writeHead(200, { "content-type": "text/event-stream" })
    const send = (choice: object) =>
      response.write(`data: ${JSON.stringify({ id: `c${count}`, choices: [{ index: 0, ...choice }] })}\n\n`)
    send({ delta: { role: "assistant", content: `[${count}]` } })
    response.on("close", () => void (response.writableFinished || left.push(count)))
    const ms = endsAfterMs[count - 1]
    if (ms === undefined) return
    setTimeout(() => {
      send({ delta: {}, finish_reason: "stop" })
      response.end("data: [DONE]\n\n")
    }, ms)
  })
  return { requests, left, ...(await listen(server)) }
}

it("12-hooks-interrupt-steer steers a run, interrupts it, and answers for itself", async () => {
  // the timers run fast: steered after 100 ms, interrupted after 500
  await using server = await startSlow([250, undefined, 0])
  const flags = ["--import", path("fixtures/fast-timers.mjs")]
  const { output, status } = await run("12-hooks-interrupt-steer.ts", server.url, flags)
  expect({ output, status }).toEqual({
    output: "Friday begins\n[1][2]Friday interrupted 0\ninterrupted\nFriday begins\nFriday completed 0\n",
    status: 0,
  })
  const [first, second, third] = server.requests as [WireRequest, WireRequest, WireRequest]
  for (const request of server.requests) expect(textsOf(request).at(-1)).toMatch(/^It is \d{4}-/)
  expect(textsOf(first)).toContain("Summarise all 200 tickets.")
  expect(textsOf(second).at(-2)).toBe("Skip the closed ones.")
  expect(server.left).toEqual([2])
  // what was cut off, what cut it off and what was said to it are in the history
  const history = JSON.stringify(third.messages)
  expect(history).toMatch(/\[2\][^]*Enough, thank you\.[^]*Stopped because you said[^]*What now\?[^]*And now\?/)
})

it("14-agent-as-tool shows the experts' events in the boss's stream, indented by who they are", async () => {
  const of = ({ messages }: WireRequest) => /contract law|taxes|experts/.exec(JSON.stringify(messages[0]))?.[0]
  await using server = await startLoopback((request) => {
    const who = of(request)
    if (who === "contract law") return { text: "The contract allows it." }
    if (who === "taxes") return { text: "It costs 2 %." }
    if (request.messages.some(({ role }) => role === "tool")) return { text: "Sell it." }
    const ask = (name: string) => ({ name, arguments: '{"message":"May we sell?"}' })
    return { calls: [ask("lawyer"), ask("accountant")] }
  })
  const { output, status } = await run("14-agent-as-tool.ts", server.url)
  expect(status, output).toBe(0)
  const lines = output.trimEnd().split("\n")
  expect(lines[0]).toBe("boss starts")
  expect(lines.slice(-2)).toEqual(["Sell it.", "boss: completed"])
  expect(lines.slice(1, -2).toSorted()).toEqual([
    "  It costs 2 %.",
    "  The contract allows it.",
    "  accountant starts",
    "  accountant: completed",
    "  lawyer starts",
    "  lawyer: completed",
  ])
  const results = server.requests.at(-1)!.messages.filter(({ role }) => role === "tool")
  expect(results.map(({ content }) => content)).toEqual(["The contract allows it.", "It costs 2 %."])
})
