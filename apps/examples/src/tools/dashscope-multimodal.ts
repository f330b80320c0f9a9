// The eight tools over DashScope, one after the other: each works on what those before it made (needs DASHSCOPE_API_KEY).
import { type JsonObject, textOf, type ToolResultBlock } from "@agentscope-ts/message"
import { Toolkit } from "@agentscope-ts/tool"
import { dashscopeMultimodalTools } from "@agentscope-ts/tools-multimodal"

const toolkit = new Toolkit({ tools: dashscopeMultimodalTools() })

async function call(name: string, input: JsonObject): Promise<string> {
  const result = await toolkit.execute({ type: "tool_use", id: "1", name, input }).result
  console.log(`${name}: ${textOf({ content: result.output }) || mediaIn(result)}`)
  if (result.state !== "success") throw new TypeError(`${name} failed`)
  return mediaIn(result)
}

/** The address of what was made; bytes go on as a data: URL. */
function mediaIn({ output }: ToolResultBlock): string {
  for (const block of output) {
    if (block.type === "text") continue
    const { source } = block
    return source.type === "url" ? source.url : `data:${source.mediaType};base64,${source.data}`
  }
  return ""
}

const cat = await call("dashscope_text_to_image", { prompt: "A cat on a roof" })
await call("dashscope_image_to_text", { image_urls: [cat], prompt: "What is on the roof?" })
const speech = await call("dashscope_text_to_audio", { text: "Look, a cat!", voice: "Cherry", language: "English" })
await call("dashscope_audio_to_text", { audio_url: speech, model: "paraformer-v2" })
const film = await call("dashscope_text_to_video", { prompt: "A cat walks along a roof", size: "1280*720" })
await call("dashscope_image_to_video", { image_url: cat, prompt: "The cat walks away" })
await call("dashscope_first_and_last_frame_image_to_video", { first_frame_url: cat, prompt: "The cat jumps" })
await call("dashscope_video_to_text", { video_url: film, prompt: "What does the cat do?" })
