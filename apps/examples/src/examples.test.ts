import { expect, it } from "vitest"
import { startMessages } from "./fixtures/loopback-anthropic.ts"
import { startLoopback } from "./fixtures/loopback-openai.ts"
import { path, run } from "./fixtures/run-program.ts"

it("01-quickstart asks the weather tool and answers", async () => {
  await using server = await startLoopback((_, count) =>
    count === 1 ? { name: "get_weather", arguments: '{"city":"Hangzhou"}' } : { text: "Yes, take one." },
  )
  const { output, status } = await run("./01-quickstart.ts", server.url, [
    "--import",
    path("fixtures/local-weather.mjs"),
  ])
  expect({ output, status }).toEqual({ output: "Yes, take one.\n", status: 0 })
  expect(server.requests).toHaveLength(2)
  expect(server.requests[0]?.tools?.[0]?.function.name).toBe("get_weather")
  expect(JSON.stringify(server.requests[1]?.messages)).toContain("rain, 14 °C")
})

it("02-stream-to-terminal shows thinking, a tool and the answer as they come", async () => {
  await using server = await startMessages()
  const { output, status } = await run("./02-stream-to-terminal.ts", server.url)
  expect(output).toBe(
    [
      "\u001b[2mI should look.\u001b[0m",
      "→ get_stock { symbol: 'BABA' }",
      "← 118.4 USD",
      "It stands at 118.4.",
      "[completed] 40 tokens, $0.00066",
      "",
    ].join("\n"),
  )
  expect(status).toBe(0)
  const [first, second] = server.requests
  expect(first).toMatchObject({ model: "claude-sonnet-4-5", thinking: { type: "enabled" } })
  expect(second?.messages.at(-2)?.content).toMatchObject([
    { type: "thinking", thinking: "I should look.", signature: "c2lnbmVk" },
    { type: "tool_use", id: "toolu_1", input: { symbol: "BABA" } },
  ])
})

it("03-structured-output reads a receipt into a typed object, by an agent and by the model alone", async () => {
  const receipt = { shop: "Corner", date: "2026-11-30", total: 3.5, lines: [{ item: "Bread", price: 3.5 }] }
  await using server = await startLoopback((request) =>
    request.tools
      ? { name: "generate_response", arguments: JSON.stringify(receipt) }
      : { text: '{"mood":"positive","score":0.9}' },
  )
  const { output, status } = await run("./03-structured-output.ts", server.url)
  expect({ output, status }).toEqual({ output: "Corner 3.5 [ 'Bread' ]\npositive\n", status: 0 })
  expect(JSON.stringify(server.requests[0]?.messages)).toContain("data:image/jpeg;base64,")
  expect(server.requests[1]?.response_format).toMatchObject({ type: "json_schema" })
})

it("16-testing passes under node's test runner", async () => {
  const { output, status } = await run("./16-testing.ts", "http://127.0.0.1:9", ["--test-reporter=tap"])
  expect(output).toContain("# pass 1")
  expect(status).toBe(0)
})
