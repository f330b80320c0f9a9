import type { JsonObject } from "@agentscope-ts/message"

/** A part of a message, or of a tool's output. */
export type OpenAIInputPart =
  | { readonly type: "input_text"; readonly text: string }
  | { readonly type: "output_text"; readonly text: string; readonly annotations?: readonly JsonObject[] }
  | { readonly type: "input_image"; readonly image_url: string }
  | { readonly type: "input_file"; readonly file_url: string }
  | { readonly type: "input_file"; readonly filename: string; readonly file_data: string }
  | { readonly type: "input_audio"; readonly input_audio: { readonly data: string; readonly format: string } }

/** What somebody says. */
export interface OpenAIInputMessage {
  readonly type?: "message"
  readonly role: string
  readonly id?: string
  readonly phase?: string
  readonly content: readonly OpenAIInputPart[]
}

/** What came out of a tool. */
export interface OpenAIToolOutput {
  readonly type: "function_call_output" | "custom_tool_call_output"
  readonly call_id: string
  readonly output: string | readonly OpenAIInputPart[]
}

/** An item of a request's input: a message, a tool's output, or an item as an answer has it (calls, reasoning, …). */
export type OpenAIInputItem = OpenAIInputMessage | OpenAIToolOutput | JsonObject
