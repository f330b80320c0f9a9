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
}
