// Paper, Listing 3: a group in which everybody hears everybody.
import { ReActAgent } from "@agentscope-ts/agent"
import { userMsg } from "@agentscope-ts/message"
import { DashScopeChatModel } from "@agentscope-ts/model-dashscope"
import { MsgHub } from "@agentscope-ts/pipeline"

const model = new DashScopeChatModel({ model: "qwen-max", formatter: "multi-agent" })
const agent = (name: string) => new ReActAgent({ name, systemPrompt: `You are ${name}.`, model, print: true })
const [alice, bob, charlie] = [agent("Alice"), agent("Bob"), agent("Charlie")]

await using _hub = await MsgHub.open({
  participants: [alice, bob, charlie],
  announcement: userMsg("Now introduce yourself in one sentence, including your name, age and career."),
})
// a group chat: nobody passes messages on
await alice.reply()
await bob.reply()
await charlie.reply()
