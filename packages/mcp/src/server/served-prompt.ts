import type { JsonObject, MediaBlock, Msg, TextBlock } from "@agentscope-ts/message"
import { mcpError } from "../error.ts"
import { contentOf } from "./content.ts"
import type { Completer, ServedContext } from "./served-resource.ts"

/** An argument of a prompt; always text. */
export interface PromptArgument {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly required?: boolean | undefined
  readonly complete?: Completer | undefined
}

/** A prompt that a person at the client can choose. */
export interface ServedPrompt {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly arguments?: readonly PromptArgument[] | undefined
  /** What is said: the text of the user, or messages of users and assistants. */
  get(
    values: Readonly<Record<string, string>>,
    context: ServedContext,
  ): string | readonly Msg[] | Promise<string | readonly Msg[]>
}

/** A prompt as it is listed. */
export function listedPrompt({ name, title, description, arguments: args }: ServedPrompt): JsonObject {
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(args && {
      arguments: args.map((argument) => ({
        name: argument.name,
        ...(argument.title !== undefined && { title: argument.title }),
        ...(argument.description !== undefined && { description: argument.description }),
        required: argument.required ?? false,
      })),
    }),
  }
}

/** The answer to `prompts/get`; throws `invalid_input` when an argument is missing. */
export async function promptResult(
  prompt: ServedPrompt,
  values: Readonly<Record<string, string>>,
  context: ServedContext,
): Promise<JsonObject> {
  const missing = prompt.arguments?.find(({ name, required }) => required && values[name] === undefined)
  if (missing) throw mcpError("invalid_input", `The prompt "${prompt.name}" needs the argument "${missing.name}".`)
  const said = await prompt.get(values, context)
  const messages =
    typeof said === "string" ? [{ role: "user", content: { type: "text", text: said } }] : said.flatMap(promptMessages)
  return { ...(prompt.description !== undefined && { description: prompt.description }), messages }
}

const isShown = (block: Msg["content"][number]): block is TextBlock | MediaBlock =>
  block.type !== "thinking" && block.type !== "tool_use" && block.type !== "tool_result"

/** A message of the protocol holds one block. */
function promptMessages(msg: Msg): JsonObject[] {
  const role = msg.role === "assistant" ? "assistant" : "user"
  return msg.content.filter(isShown).map((block) => ({ role, content: contentOf(block) }))
}
