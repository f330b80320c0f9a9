import { expect, it } from "vitest"
import { type DashScopeRequest, startDashScope } from "../fixtures/loopback-dashscope.ts"
import { run } from "../fixtures/run-program.ts"

const said = ({ input }: DashScopeRequest) => JSON.stringify(input.messages.slice(1))
const nameOf = ({ input }: DashScopeRequest) => /You are (\w+)/.exec(JSON.stringify(input.messages[0]))?.[1]

const dashScope = async () => {
  const server = await startDashScope((request, count) => `${nameOf(request)} says ${count}.`)
  return { ...server, env: { DASHSCOPE_API_KEY: "sk-ds", DASHSCOPE_HTTP_BASE_URL: server.url } }
}

it("Listing 1 makes a text and a call, which are plain data", async () => {
  const { output, status } = await run("paper/listing-1-messages.ts", "http://127.0.0.1:9")
  expect({ output, status }).toEqual({
    output: "Jarvis assistant Hello! How can I help you?\nJarvis xxx get_weather { location: 'Beijing' }\ntrue\n",
    status: 0,
  })
})

it("Listing 2 runs four agents in a row, each told what the one before it said", async () => {
  await using server = await dashScope()
  const { output, status } = await run("paper/listing-2-sequential.ts", server.url, [], { env: server.env })
  expect({ output, status }).toEqual({ output: "David says 4.\nDavid says 8.\nDavid says 12.\n", status: 0 })
  const { requests } = server
  const round = ["Alice", "Bob", "Charlie", "David"]
  expect(requests.map(nameOf)).toEqual([...round, ...round, ...round])
  expect(requests[0]!.input.messages).toHaveLength(1)
  expect(said(requests[3]!)).toContain("Charlie says 3.")
  expect(said(requests[3]!)).not.toContain("Bob says 2.")
  expect(said(requests[8]!)).toContain("Hello!")
})

it("Listing 3 lets each hear the announcement and those who spoke before", async () => {
  await using server = await dashScope()
  const { output, status } = await run("paper/listing-3-message-hub.ts", server.url, [], { env: server.env })
  expect(status, output).toBe(0)
  const heard = server.requests.map(said)
  expect(heard).toHaveLength(3)
  for (const text of heard) expect(text.split("introduce yourself in one sentence")).toHaveLength(2)
  expect(heard[0]).not.toContain("says")
  expect(heard[1]).toContain("Alice says 1.")
  expect(heard[2]).toMatch(/Alice says 1\.[^]*Bob says 2\./)
})
