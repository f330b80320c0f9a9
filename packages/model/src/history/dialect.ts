/**
 * A provider's rules for histories, as data. Ids and names that break the rules are mapped, the same for a call and its
 * result; opaque data and signed thinking of another provider are left out.
 */
export interface Dialect {
  readonly provider: string
  /** What a tool call's id looks like; any non-empty one when absent. */
  readonly toolCallId?: { readonly pattern?: RegExp; readonly maxLength?: number }
  /** What a tool's name looks like; any non-empty one when absent. */
  readonly toolName?: RegExp
  /** Which thinking may go back: any (the default), only what this provider signed, or none. */
  readonly thinking?: "any" | "signed" | "none"
  /** Which media its messages have a form for; all when absent. Others are left out, with a warning; a text stands for a message of nothing else. */
  readonly media?: readonly ("image" | "audio" | "video" | "file")[]
  /** Where the tool calls of an assistant's message stand: where they were made (the default), or after all else it says. */
  readonly toolUses?: "anywhere" | "last"
  /** Whether the text that ends the last message, when it is an assistant's, may end in white space. Default true. */
  readonly trailingBlanks?: boolean
}
