import { InMemoryMemory } from "@agentscope-ts/memory"
import { ScriptedModel } from "@agentscope-ts/testing"
import { Toolkit } from "@agentscope-ts/tool"
import { expect, test } from "vitest"
import { add } from "./fixtures/tools.ts"
import { ReActAgent, UserAgent } from "./index.ts"

const model = new ScriptedModel([])
const good = { name: "Friday", systemPrompt: "Help.", model }

test.each<[string, Record<string, unknown>, RegExp]>([
  ["a misspelt option", { max_iterations: 3 }, /there is no option "max_iterations". Did you mean "maxIterations"\?/],
  ["an option that others shorten", { maxIters: 3 }, /no option "maxIters"\. Did you mean "maxIterations"\?/],
  ["an option that others call otherwise", { max_steps: 3 }, /Did you mean "maxIterations"\?/],
  ["a prompt of another name", { instructions: "x" }, /Did you mean "systemPrompt"\?/],
  ["an option of another name", { sysPrompt: "x" }, /Did you mean "systemPrompt"/],
  ["an option that is far from any", { zzzzzzzzzz: 1 }, /There are: name, systemPrompt, model/],
  ["tools and toolkit", { tools: [add], toolkit: new Toolkit() }, /either tools or toolkit, not both/],
  ["tools that are no list", { tools: add }, /tools must be a list of tools, not a/],
  ["no iterations", { maxIterations: 0 }, /maxIterations must be a whole number of at least 1, not 0/],
  ["half an iteration", { maxIterations: 1.5 }, /maxIterations/],
  ["no model", { model: undefined }, /model must be a chat model, not undefined/],
  ["a model's name", { model: "gpt-5" }, /model must be a chat model, not "gpt-5"/],
  ["no system prompt", { systemPrompt: undefined }, /systemPrompt must be a text/],
  ["a toolkit that is none", { toolkit: {} }, /toolkit must be a Toolkit, not an Object/],
  ["no name", { name: undefined, tools: [], toolkit: new Toolkit() }, /^ReActAgent: give either/],
  ["a memory that is none", { memory: [] }, /memory must be a Memory, not a list/],
  ["streaming that is no boolean", { streaming: "yes" }, /streaming must be true or false, not "yes"/],
  ["parallelToolCalls that is no boolean", { parallelToolCalls: 1 }, /parallelToolCalls must be true or false, not 1/],
  ["context that is no list", { context: {} }, /context must be a list, not an Object: give values as \[key\.of/],
  ["a plain object as context", { context: [{ user: "ann" }] }, /context holds an Object, which no tool can ask for/],
  ["a text as context", { context: ["ann"] }, /context holds "ann"/],
  ["a misspelt part of the policy", { approval: { denny: [] } }, /Did you mean "deny"/],
  ["a policy that is none", { approval: null }, /approval must be an approval policy, not null/],
  ["a rule that cannot be read", { approval: { allow: ["((("] } }, /cannot be read/],
  ["a misspelt limit", { budget: { tokns: 1 } }, /Did you mean "tokens"/],
  ["a misspelt hook", { hooks: { preReplay: () => {} } }, /Did you mean "preReply"/],
])("%s is refused when the agent is made", (_, wrong, message) => {
  expect(() => new ReActAgent({ ...good, ...wrong })).toThrow(message)
})

test("options that are no object are refused", () => {
  expect(() => new ReActAgent(undefined as never)).toThrow(/options must be an object, not undefined/)
  expect(() => new UserAgent("Bob" as never)).toThrow(/options must be an object, not "Bob"/)
  expect(() => new UserAgent({ name: "Bob", inpt: 1 } as never)).toThrow(/Did you mean "input"/)
  expect(() => new UserAgent({ name: "Bob", input: 1 as never })).toThrow(/input must be a function, not 1/)
})

test("options given as undefined count as not given", () => {
  const agent = new ReActAgent({
    ...good,
    tools: undefined,
    toolkit: undefined,
    memory: undefined,
    maxIterations: undefined,
    parallelToolCalls: undefined,
    streaming: undefined,
    approval: undefined,
    budget: undefined,
    context: undefined,
    hooks: undefined,
    print: undefined,
    whenBusy: undefined,
  })
  expect(agent.memory).toBeInstanceOf(InMemoryMemory)
})

test("an agent shows what it is made of", () => {
  const toolkit = new Toolkit({ tools: [add] })
  const memory = new InMemoryMemory()
  const agent = new ReActAgent({ ...good, toolkit, memory })
  expect(agent).toMatchObject({ name: "Friday", model, memory })
  expect(agent.toolkit).toBe(toolkit)
  expect(new ReActAgent({ ...good, tools: [add] }).toolkit.schemas()).toHaveLength(1)
  const bare = new ReActAgent(good)
  bare.toolkit.register(add)
  expect(bare.toolkit).toBe(bare.toolkit)
  expect(bare.toolkit.schemas()).toHaveLength(1)
})

test("agents share no default object", () => {
  const [a, b] = [new ReActAgent(good), new ReActAgent(good)]
  expect(a.memory).not.toBe(b.memory)
  expect(a.toolkit).not.toBe(b.toolkit)
  expect(a.toolState).not.toBe(b.toolState)
})
