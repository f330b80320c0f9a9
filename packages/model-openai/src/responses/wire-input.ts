import type { JsonObject } from "@agentscope-ts/message"

/** A part of a message, or of a tool's output. */
export type OpenAIInputPart =
  | { readonly type: "input_text"; readonly text: string }
  | { readonly type: "output_text"; readonly text: string; readonly annotations?: readonly JsonObject[] }
  | { readonly type: "input_image"; readonly image_url: string }
  | { readonly type: "input_file"; readonly file_url: string }
  | { readonly type: "input_file"; readonly filename: string; readonly file_data: string }
  | { readonly type: "input_audio"; readonly input_audio: { readonly data: string; readonly format: string } }

/** What is said by somebody. */
export interface OpenAIInputMessage {
  readonly type?: "message"
  readonly role: string
  readonly id?: string
  readonly phase?: string
  readonly content: readonly OpenAIInputPart[]
}

/** A call of a function or a tool that takes free text, or what came out of it; or an item as the provider made it. */
export type OpenAIInputItem =
  | OpenAIInputMessage
  | {
      readonly type: "function_call"
      readonly id?: string
      readonly call_id: string
      readonly name: string
      readonly namespace?: string
      readonly arguments: string
    }
  | {
      readonly type: "custom_tool_call"
      readonly id?: string
      readonly call_id: string
      readonly name: string
      readonly input: string
    }
  | {
      readonly type: "function_call_output" | "custom_tool_call_output"
      readonly call_id: string
      readonly output: string | readonly OpenAIInputPart[]
    }
  | JsonObject
