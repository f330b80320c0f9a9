import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ReActAgent } from "@agentscope-ts/agent"
import { SqliteSessionStore } from "@agentscope-ts/state"
import { ScriptedModel } from "@agentscope-ts/testing"
import { describe, expect, it } from "vitest"
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

describe("10-suspend-and-resume", () => {
  const question = { name: "ask_expert", arguments: '{"question":"Does she fit?"}' }
  const lookup = { name: "lookup", arguments: '{"id":"x-17"}' }
  const decision = { name: "generate_response", arguments: '{"hire":true,"why":"The expert says so."}' }

  it("decides once the expert has answered", async () => {
    await using server = await startLoopback((_, count) => (count === 1 ? question : decision))
    const cwd = mkdtempSync(join(tmpdir(), "suspend-"))
    try {
      const { output, status } = await run("10-suspend-and-resume.ts", server.url, [], { cwd })
      expect({ output, status }).toEqual({
        output: "tool_suspended [ 'ask_expert: ' ]\ntrue The expert says so.\n",
        status: 0,
      })
      expect(server.requests[1]?.messages.at(-1)).toMatchObject({
        role: "tool",
        content: '"Does she fit?"? Yes, strongly.',
      })
    } finally {
      rmSync(cwd, { recursive: true })
    }
  })

  it("saves what still waits, each time it is run", async () => {
    await using server = await startLoopback(() => ({ calls: [lookup, question] }))
    const cwd = mkdtempSync(join(tmpdir(), "suspend-"))
    try {
      for (const times of [1, 2]) {
        const { output, status } = await run("10-suspend-and-resume.ts", server.url, [], { cwd })
        const waiting = "tool_suspended [ 'lookup: archived: fetched by night', 'ask_expert: ' ]\n"
        expect({ output, status }).toEqual({ output: waiting, status: 0 })
        expect(server.requests).toHaveLength(times)
      }
      await using sessions = new SqliteSessionStore({ path: join(cwd, "sessions.db") })
      const model = new ScriptedModel([])
      const agent = new ReActAgent({ name: "recruiter", systemPrompt: "", model })
      expect(await sessions.load("x-17", { agent })).toBe(true)
      expect(agent.pending).toMatchObject([{ toolUse: { name: "lookup" }, reason: "archived: fetched by night" }])
    } finally {
      rmSync(cwd, { recursive: true })
    }
  })
})

describe("11-approval", () => {
  const refund = (order: string, amount: number) => ({ name: "refund", arguments: JSON.stringify({ order, amount }) })
  const shell = (command: string) => ({ name: "execute_shell_command", arguments: JSON.stringify({ command }) })
  const results = (messages: readonly { readonly role: string; readonly content?: unknown }[] = []) =>
    messages.filter(({ role }) => role === "tool").map(({ content }) => String(content))

  it("asks the manager, and takes yes, no, another amount and always for an answer", async () => {
    await using server = await startLoopback((_, count) => {
      if (count === 1) return { calls: [refund("42", 80), refund("43", 90), refund("44", 15), refund("45", 600)] }
      if (count === 2) return { calls: [shell("mkdir -p made && git --version"), shell("rm -rf made")] }
      if (count === 3) return shell("mkdir -p made; git --version")
      return { text: "Done." }
    })
    const cwd = mkdtempSync(join(tmpdir(), "approval-"))
    try {
      const answers = ["y", "50", "no", "always"]
      const { output, status } = await run("11-approval.ts", server.url, [], { cwd, answers })
      expect(status, output).toBe(0)
      expect(output.match(/\w+ \{.*?\} y\/n\/always\/AMOUNT\? /g)).toEqual([
        'refund {"order":"42","amount":80} y/n/always/AMOUNT? ',
        'refund {"order":"43","amount":90} y/n/always/AMOUNT? ',
        'refund {"order":"45","amount":600} y/n/always/AMOUNT? ',
        'execute_shell_command {"command":"mkdir -p made && git --version"} y/n/always/AMOUNT? ',
      ])
      expect(output).toMatch(/Done\.\n$/)
      expect(results(server.requests[1]?.messages)).toEqual([
        "refunded 80 for 42",
        "refunded 50 for 43",
        "refunded 15 for 44",
        expect.stringContaining("the manager said no"),
      ])
      const [, , , , made, removed, again] = results(server.requests[3]?.messages)
      expect(made).toContain("git version")
      expect(removed).toContain("not allowed")
      // the rule that was remembered covers the line together with the operator's
      expect(again).toContain("git version")
      expect(existsSync(join(cwd, "made"))).toBe(true)
    } finally {
      rmSync(cwd, { recursive: true })
    }
  })
})

it("16-testing passes under node's test runner", async () => {
  const { output, status } = await run("./16-testing.ts", "http://127.0.0.1:9", ["--test-reporter=tap"])
  expect(output).toContain("# pass 1")
  expect(status).toBe(0)
})
