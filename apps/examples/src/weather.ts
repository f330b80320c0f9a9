// The README's agent. Run it with: npm run example apps/examples/src/weather.ts "Do I need an umbrella in Hangzhou?"
import { ReActAgent } from "@agentscope-ts/agent"
import { textOf } from "@agentscope-ts/message"
import { OfflineChatModel } from "@agentscope-ts/model-offline"
import { OpenAIChatModel } from "@agentscope-ts/model-openai"
import { tool } from "@agentscope-ts/tool"
import { z } from "zod"

const weather = tool({
  name: "get_weather",
  description: "Current weather in a city",
  input: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, sky: "rain", celsius: 14 }),
})
const model = process.env["OPENAI_API_KEY"] ? new OpenAIChatModel({ model: "gpt-5-mini" }) : new OfflineChatModel()
const friday = new ReActAgent({ name: "Friday", systemPrompt: "You are a helpful assistant.", model, tools: [weather] })

console.log(textOf(await friday.reply(process.argv[2] ?? "What is the weather in Hangzhou?")))
