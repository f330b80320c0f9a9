// The four tools over OpenAI: a picture made and looked at, a sentence spoken and written down (needs OPENAI_API_KEY).
import { type JsonObject, textOf, type ToolResultBlock } from "@agentscope-ts/message"
import { Toolkit } from "@agentscope-ts/tool"
import { openaiMultimodalTools } from "@agentscope-ts/tools-multimodal"

const toolkit = new Toolkit({ tools: openaiMultimodalTools() })

async function call(name: string, input: JsonObject): Promise<ToolResultBlock["output"]> {
  const { output, state } = await toolkit.execute({ type: "tool_use", id: "1", name, input }).result
  console.log(`${name}: ${state} ${textOf({ content: output })}${output.map(({ type }) => type).join(" ")}`)
  return output
}

const [picture] = await call("openai_text_to_image", { prompt: "A cat on a roof", response_format: "b64_json" })
if (picture?.type === "image" && picture.source.type === "base64") {
  const url = `data:${picture.source.mediaType};base64,${picture.source.data}`
  await call("openai_image_to_text", { image_urls: [url], prompt: "What is on the roof?" })
}
const [speech] = await call("openai_text_to_audio", { text: "Look, a cat!" })
if (speech?.type === "audio" && speech.source.type === "base64") {
  const url = `data:${speech.source.mediaType};base64,${speech.source.data}`
  await call("openai_audio_to_text", { audio_url: url, language: "en" })
}
