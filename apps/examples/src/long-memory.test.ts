import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { type DashScopeRequest, startDashScope } from "./fixtures/loopback-dashscope.ts"
import { startTutor } from "./fixtures/loopback-tutor.ts"
import { run } from "./fixtures/run-program.ts"

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), "memory-"))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}

it("04-user-assistant-loop talks until the user says exit, and knows the next day what was said", async () => {
  const said = ({ input }: DashScopeRequest) => JSON.stringify(input.messages)
  await using server = await startDashScope((_, count) => `Answer ${count}.`)
  const env = { DASHSCOPE_API_KEY: "sk-ds", DASHSCOPE_HTTP_BASE_URL: server.url }
  const cwd = folder()
  const day = (answers: readonly string[]) =>
    run("04-user-assistant-loop.ts", server.url, [], { env, cwd, answers, asks: "Bob: " })

  const first = await day(["I live in Hangzhou.", "I drink tea.", "exit"])
  expect(first.status, first.output).toBe(0)
  expect(first.output).toMatch(/Bob: [^]*Answer 1\.[^]*Bob: [^]*Answer 2\.[^]*Bob: $/)
  expect(server.requests).toHaveLength(2)
  expect(said(server.requests[1]!)).toMatch(/I live in Hangzhou\.[^]*Answer 1\.[^]*I drink tea\./)
  expect(server.requests[0]!.parameters.tools?.map((tool) => tool.function.name)).toEqual([
    "execute_shell_command",
    "execute_python_code",
    "view_text_file",
    "record_to_memory",
    "retrieve_from_memory",
  ])

  const second = await day(["Where do I live, in Hangzhou?", "exit"])
  expect(second.status, second.output).toBe(0)
  const asked = said(server.requests[2]!)
  expect(asked).toMatch(/<long_term_memory>[^]*I live in Hangzhou\.[^]*<\/long_term_memory>/)
  expect(asked).not.toContain("Answer 1")
})

it.each([
  [false, "We were at the second tone.", "claude-sonnet-4-5"],
  [true, "We were at the third tone.", "gpt-5"],
])("13-memory-and-budget recalls, answers and records (Claude overloaded: %s)", async (overloaded, answer, model) => {
  await using server = await startTutor({ overloaded, fact: "We were at two tones." })
  const cwd = folder()
  const lesson = () => run("13-memory-and-budget.ts", server.url, [], { cwd })

  const first = await lesson()
  expect(first.status, first.output).toBe(0)
  const [told, recalled] = first.output.split("\n")
  expect(told).toMatch(new RegExp(`^${answer.replaceAll(".", "\\.")}  0\\.\\d+$`))
  expect(recalled).toMatch(/^We were at two tones\. (?:1|0\.\d+)$/)

  const before = server.requests.length
  const second = await lesson()
  expect(second.status, second.output).toBe(0)
  const { body } = server.requests.slice(before).findLast((request) => request.body.model === model)!
  expect(JSON.stringify(body.messages)).toMatch(/<long_term_memory>[^]*We were at two tones\./)
  expect(JSON.stringify(body.tools)).toContain("record_to_memory")
})
