// Paper, Listing 2: agents in a row, as a function and as an object.
import { ReActAgent } from "@agentscope-ts/agent"
import { textOf } from "@agentscope-ts/message"
import { DashScopeChatModel } from "@agentscope-ts/model-dashscope"
import { SequentialPipeline, sequentialPipeline } from "@agentscope-ts/pipeline"

const model = new DashScopeChatModel({ model: "qwen-max", formatter: "multi-agent" })
const [alice, bob, charlie, david] = ["Alice", "Bob", "Charlie", "David"].map(
  (name) => new ReActAgent({ name, systemPrompt: `You are ${name}. Add one sentence to the story.`, model }),
) as [ReActAgent, ReActAgent, ReActAgent, ReActAgent]

// 1: a function; the first input may be left out
const first = await sequentialPipeline([alice, bob, charlie, david])
console.log(textOf(first))

// 2: an object, used again with another input
const pipeline = new SequentialPipeline([alice, bob, charlie, david])
console.log(textOf(await pipeline.reply()))
console.log(textOf(await pipeline.reply("Hello!")))
