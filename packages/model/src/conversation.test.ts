import { assistantMsg, systemMsg, toolResultMsg, userMsg } from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import { FakeModel, PlainFormatter, saying } from "./fixtures/fake-model.ts"

const formatters = { chat: new PlainFormatter(), "multi-agent": new PlainFormatter() }
const warningsOf = async (model: FakeModel, messages: readonly ReturnType<typeof userMsg>[], conversation?: object) => {
  const warnings: { code: string; message: string }[] = []
  await model.generate({ messages, conversation }, { onWarning: (warning) => warnings.push(warning) })
  return warnings
}
const ann = assistantMsg("I am Ann", { name: "Ann" })
const bob = assistantMsg("I am Bob", { name: "Bob" })

describe("a history of several agents through the chat formatter", () => {
  test("is warned of once a conversation, and the warning names the way out", async () => {
    const model = new FakeModel(saying("Hello"), { formatters })
    const conversation = {}
    const history = [userMsg("Hi"), ann, userMsg("Well?")]
    expect(await warningsOf(model, history, conversation)).toEqual([])
    history.push(bob)
    const [warning, ...others] = await warningsOf(model, history, conversation)
    expect(others).toEqual([])
    expect(warning?.code).toBe("multi_agent_history")
    expect(warning?.message).toMatch(/"Ann", "Bob".*fake\/fake-1.*formatter: "multi-agent"/)
    history.push(userMsg("Go on"), assistantMsg("Cy", { name: "Cy" }))
    expect(await warningsOf(model, history, conversation)).toEqual([])
    // another conversation
    expect(await warningsOf(model, history, {})).toHaveLength(1)
  })

  test("users, tools and the system have names of their own, and that is no reason", async () => {
    const call = { type: "tool_use", id: "c", name: "look", input: {} } as const
    const history = [
      systemMsg("s"),
      userMsg("Hi", { name: "Zoe" }),
      userMsg("Hi", { name: "Max" }),
      assistantMsg([call], { name: "Ann" }),
      toolResultMsg([{ type: "tool_result", id: "c", name: "look", output: [], state: "success" }]),
      ann,
      userMsg("Go on"),
    ]
    expect(await warningsOf(new FakeModel(saying("Hello"), { formatters }), history)).toEqual([])
  })

  test("is warned of where it ends with what one of them said: the model would go on from that, or be refused", async () => {
    const model = new FakeModel(saying("Hello"), { formatters })
    const conversation = {}
    const history = [systemMsg("You are Bob"), userMsg("Begin", { name: "host" }), ann]
    const [warning, ...others] = await warningsOf(model, history, conversation)
    expect(others).toEqual([])
    expect(warning).toMatchObject({
      code: "multi_agent_history",
      message: expect.stringMatching(/ends with what "Ann" said.*formatter: "multi-agent"/) as string,
    })
    expect(await warningsOf(model, [...history, bob], conversation)).toEqual([])
    // the beginning of an answer, for the model to go on from
    expect(await warningsOf(model, [userMsg("JSON!"), assistantMsg("{")])).toEqual([])
  })

  test("is warned of at once where an agent asks, which gives itself as the conversation", async () => {
    const model = new FakeModel(saying("Hello"), { formatters })
    const history = [userMsg("Hi"), ann, userMsg("Bob?")]
    expect(await warningsOf(model, history, { name: "Ann" })).toEqual([])
    expect(await warningsOf(model, [...history, assistantMsg("cut off"), ann], { name: "Ann" })).toEqual([])
    const [warning] = await warningsOf(model, history, { name: "Bob" })
    expect(warning?.message).toMatch(/"Bob", "Ann".*formatter: "multi-agent"/)
  })

  test.each([
    ["the multi-agent formatter", { formatters, formatter: "multi-agent" as const }],
    ["an own formatter", { formatters, formatter: new PlainFormatter() }],
    ["a provider that has no other", {}],
  ])("%s is not warned of", async (_, options) => {
    expect(await warningsOf(new FakeModel(saying("Hello"), options), [ann, bob])).toEqual([])
  })

  test("of a history that grows only what is new is looked at", async () => {
    const model = new FakeModel(saying("Hello"), { formatters })
    let reads = 0
    const counted = new Proxy(ann, {
      get: (target, key) => {
        if (key === "role") reads++
        return Reflect.get(target, key) as unknown
      },
    })
    const conversation = {}
    const history = [counted]
    await warningsOf(model, history, conversation)
    const first = reads
    for (let i = 0; i < 5; i++) {
      history.push(userMsg("more"))
      await warningsOf(model, history, conversation)
    }
    expect(first).toBeGreaterThan(0)
    expect(reads).toBe(first)
  })
})
