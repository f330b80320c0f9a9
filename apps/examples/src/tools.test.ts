import { expect, it } from "vitest"
import { startLoopback } from "./fixtures/loopback-openai.ts"
import { run } from "./fixtures/run-program.ts"

it("07-tools fills in what the model must not see, and joins what a tool yields", async () => {
  await using server = await startLoopback((_, count) => {
    if (count === 1) return { name: "generate", arguments: "{}" }
    if (count === 2) return { name: "temperature", arguments: '{"city":"Hangzhou"}' }
    if (count === 3) return { name: "send_email", arguments: '{"to":"ann@acme.com","subject":"rows"}' }
    return { text: "Sent." }
  })
  const env = { EMAIL_API_KEY: "secret-9" }
  const { output, status } = await run("07-tools.ts", server.url, [], { env })
  expect({ output, status }).toEqual({ output: "", status: 0 })
  const [first] = server.requests
  expect(first?.tools?.map((tool) => tool.function.name)).toEqual(["generate", "chart", "temperature", "send_email"])
  expect(JSON.stringify(server.requests)).not.toMatch(/apiKey|secret-9/)
  const results = server.requests[3]?.messages.filter(({ role }) => role === "tool").map(({ content }) => content)
  expect(results).toEqual([
    "row 0\nrow 1\nrow 2\n",
    '{"city":"Hangzhou","celsius":21}',
    "sent to ann@acme.com for user-123 (acme, 8)",
  ])
})

it("08-tool-groups shows the tools of a group once the agent asks for them", async () => {
  await using server = await startLoopback((_, count) => {
    if (count === 1) return { name: "reset_tools", arguments: '{"database":true}' }
    if (count === 2) return { name: "db_migrate", arguments: '{"id":"042"}' }
    if (count === 3) return { name: "reset_tools", arguments: '{"deployment":true}' }
    if (count === 4) return { name: "deploy", arguments: '{"env":"staging"}' }
    return { text: "Done." }
  })
  const { output, status } = await run("08-tool-groups.ts", server.url)
  expect(status, output).toBe(0)
  expect(output).toMatch(/^\[ 'deployment' \] \[/)
  const names = server.requests.map(({ tools }) => tools?.map((tool) => tool.function.name) ?? [])
  expect(names[0]).toContain("reset_tools")
  expect(names[0]).not.toContain("db_migrate")
  expect(names[1]).toContain("db_migrate")
  expect(names[1]).not.toContain("deploy")
  expect(names[4]).toContain("deploy")
  expect(names[4]).not.toContain("db_migrate")
  const told = server.requests
    .at(-1)
    ?.messages.filter(({ role }) => role === "tool")
    .map(({ content }) => content)
  expect(told?.[0]).toContain("Always wrap mutations in a transaction.")
  expect(told?.[1]).toBe("applied 042")
  expect(told?.[3]).toBe("deployed to staging")
})
