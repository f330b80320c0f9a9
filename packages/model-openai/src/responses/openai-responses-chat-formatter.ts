import type { JsonObject, Msg, Opaque, ToolResultBlock, ToolUseBlock } from "@agentscope-ts/message"
import { MediaFormatter, objectsIn, ownData, type PreparedMedia, textIn } from "@agentscope-ts/model/wire"
import type { OpenAIFormatterOptions } from "../openai-chat-formatter.ts"
import { inputForms } from "./input-media.ts"
import { InputTurn } from "./input-turn.ts"
import type { OpenAIInputItem, OpenAIInputPart } from "./wire-input.ts"

/** Options of the formatters for the Responses API. */
export interface OpenAIResponsesFormatterOptions extends OpenAIFormatterOptions {
  /**
   * Pictures and files of a tool's output are shown in it; otherwise they are saved and the output names their place.
   * Default false; the model's own formatter does it for OpenAI and Azure.
   */
  mediaInResults?: boolean | undefined
  /** Whether sounds go out, as `input_audio`. Default true; the model's own formatter leaves them out, for the API takes none. */
  audio?: boolean | undefined
}

type Prepared = PreparedMedia<OpenAIInputPart>

/** Text as a part. */
export const inputText = (text: string): OpenAIInputPart => ({ type: "input_text", text })

/** How many calls of tools that take free text are remembered until their results come. */
const maxFreeText = 1000

/**
 * Messages as input items of the Responses API, each as its own. What the provider gave with an answer (reasoning, calls of
 * its own tools) goes back where it was; thinking that is only text stays behind, and so do media of assistant messages.
 */
export class OpenAIResponsesChatFormatter extends MediaFormatter<OpenAIInputItem, OpenAIInputPart> {
  override readonly provider: string
  readonly #inResults: boolean
  readonly #freeText = new Set<string>()

  constructor(options: OpenAIResponsesFormatterOptions = {}) {
    super(inputForms(options), options)
    this.provider = options.provider ?? "openai"
    this.#inResults = options.mediaInResults === true
  }

  protected override wireOf(msg: Msg, media: Prepared): readonly OpenAIInputItem[] {
    const turn = new InputTurn(msg.role)
    for (const block of msg.content) {
      switch (block.type) {
        case "text": {
          const own = this.#own(block.opaque, "message")
          const annotations = objectsIn<JsonObject>(own?.["annotations"])
          turn.text(block.text, annotations, textIn(own?.["id"]), textIn(own?.["phase"]))
          break
        }
        case "thinking": {
          const own = this.#own(block.opaque)
          if (own?.["type"] === "reasoning") turn.reasoning(own)
          else if (own) turn.item(own)
          break
        }
        case "tool_use":
          turn.item(this.#call(block), textIn(this.#own(block.opaque)?.["id"]))
          break
        case "tool_result":
          for (const item of this.#result(block, media)) turn.item(item)
          break
        default: {
          const made = block.type === "image" ? this.#own(block.opaque, "image_generation_call") : undefined
          if (made && block.source.type === "base64") turn.item({ ...made, result: block.source.data })
          else turn.part(media.shown(block, msg))
        }
      }
    }
    return turn.end()
  }

  /** What of a block is an item of this API, of a type. */
  #own(opaque: Opaque | undefined, type?: string): JsonObject | undefined {
    const item = ownData(opaque, this.provider)
    return typeof item?.["type"] === "string" && (type === undefined || item["type"] === type) ? item : undefined
  }

  #call({ id: call_id, name, input, opaque }: ToolUseBlock): OpenAIInputItem {
    const own = this.#own(opaque)
    if (own?.["type"] === "custom_tool_call") {
      this.#remember(call_id)
      return { type: "custom_tool_call", call_id, name, input: textIn(input["input"]) }
    }
    const { namespace, caller } = own ?? {}
    const call = { type: "function_call", call_id, name, arguments: JSON.stringify(input) } as const
    return { ...call, ...(namespace && { namespace }), ...(caller && { caller }) }
  }

  #remember(id: string): void {
    this.#freeText.add(id)
    const [oldest] = this.#freeText
    if (this.#freeText.size > maxFreeText && oldest !== undefined) this.#freeText.delete(oldest)
  }

  #result(result: ToolResultBlock, media: Prepared): readonly OpenAIInputItem[] {
    const type = this.#freeText.has(result.id) ? "custom_tool_call_output" : "function_call_output"
    if (this.#inResults && result.output.some((block) => block.type === "image" || block.type === "file")) {
      return [{ type, call_id: result.id, output: partsOf(result, media) }]
    }
    const [text, content] = this.named(result, media, inputText)
    const output = { type, call_id: result.id, output: text } as const
    return content.length === 0 ? [output] : [{ role: "user", content }, output]
  }
}

/** A tool's output with its pictures and files where they stand. */
function partsOf({ output }: ToolResultBlock, media: Prepared): readonly OpenAIInputPart[] {
  return output.map((block) => {
    if (block.type === "text") return inputText(block.text)
    const shown = block.type === "image" || block.type === "file" ? media.part(block) : undefined
    const place = block.source.type === "url" && !block.source.url.startsWith("data:") ? `: ${block.source.url}` : ""
    return shown ?? inputText(`The returned ${block.type} cannot be shown here${place}`)
  })
}
