import { expect, it } from "vitest"
import { startDashScope } from "./fixtures/loopback-dashscope.ts"
import { startLoopback } from "./fixtures/loopback-openai.ts"
import { run } from "./fixtures/run-program.ts"

type Messages = readonly { readonly role: string; readonly content?: unknown }[]

const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : (content as { readonly text?: string }[]).map(({ text }) => text ?? "").join("\n")
const systemOf = ([first]: Messages) => textOf(first!.content)
/** What was said to the agent, or by it, system prompt aside. */
const saidIn = (messages: Messages) => messages.slice(1).map(({ content }) => textOf(content))

it("05-message-hub lets everybody hear everybody, until Bob has to go", async () => {
  const nameOf = (messages: Messages) => /named (\w+)/.exec(systemOf(messages))![1]!
  await using server = await startDashScope(({ input }, count) => `I am ${nameOf(input.messages)} (${count}).`)
  const env = { DASHSCOPE_API_KEY: "sk-ds", DASHSCOPE_HTTP_BASE_URL: server.url }
  const { output, status } = await run("05-message-hub.ts", server.url, [], { env })
  expect(status, output).toBe(0)
  const asked = server.requests.map(({ input }) => input.messages)
  expect(asked.map(nameOf)).toEqual(["Alice", "Bob", "Charlie", "Alice", "Charlie"])
  const heard = asked.map((messages) => saidIn(messages).join("\n"))
  const times = (text: string, what: string) => text.split(what).length - 1
  for (const text of heard) expect(text).toContain("a brief self-introduction.")
  expect(heard[1]).toContain("I am Alice (1).")
  expect(heard[2]).toMatch(/I am Alice \(1\)\.[^]*I am Bob \(2\)\./)
  for (const said of ["I am Alice (1).", "I am Bob (2).", "I am Charlie (3).", "I have to start my homework now"]) {
    expect(times(heard[3]!, said)).toBe(1)
    expect(times(heard[4]!, said)).toBe(1)
  }
  expect(heard[4]).toContain("I am Alice (4).")
  // printed as it came
  expect(output).toMatch(/I am Alice \(1\)\.[^]*I am Charlie \(5\)\./)
})

it("06-pipelines runs every kind of pipeline, as a function and as an object", async () => {
  const roles = { Write: "draft", Criticise: "critique", Apply: "edit", Translate: "translation" }
  const roleOf = (messages: Messages) => roles[systemOf(messages).split(" ")[0] as keyof typeof roles]
  const counts = new Map<string, number>()
  await using server = await startLoopback(({ messages }) => {
    const role = roleOf(messages)
    const count = (counts.get(role) ?? 0) + 1
    counts.set(role, count)
    return { text: `[${role} ${count}]` }
  })
  const { output, status } = await run("06-pipelines.ts", server.url)
  expect({ output, status }).toEqual({
    output:
      "[ '[critique 2]', '[translation 1]' ]\n" +
      "[draft 2][critique 6][edit 5][critique 7][edit 6][critique 8][edit 7]",
    status: 0,
  })
  const asked = server.requests.map(({ messages }) => messages)
  const order = asked.map(roleOf)
  // the sequence; the fan-out, side by side; the short case
  expect(order.slice(0, 3)).toEqual(["draft", "critique", "edit"])
  expect(order.slice(3, 5).toSorted()).toEqual(["critique", "translation"])
  expect(order[5]).toBe("translation")
  // three rounds of the while, the draft, three of the for; nobody translates what is not marked as Chinese
  expect(order.slice(6, 12)).toEqual(["edit", "critique", "edit", "critique", "edit", "critique"])
  expect(order.slice(12)).toEqual(["draft", "critique", "edit", "critique", "edit", "critique", "edit"])
  expect(saidIn(asked[2]!)).toEqual(["[critique 1]"])
  for (const messages of [asked[3]!, asked[4]!]) expect(saidIn(messages).at(-1)).toBe("[edit 1]")
})
