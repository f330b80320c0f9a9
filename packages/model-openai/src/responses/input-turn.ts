import type { JsonObject, Role } from "@agentscope-ts/message"
import type { OpenAIInputItem, OpenAIInputPart } from "./wire-input.ts"

interface Growing {
  readonly id: string
  readonly phase: string
  readonly content: OpenAIInputPart[]
}

/**
 * The items of one message, in order. Reasoning goes only before what it led to, and without its id where its encrypted
 * content says all; what follows it has its own id exactly where the reasoning has (the API looks for both, or for neither).
 */
export class InputTurn {
  readonly #role: Role
  readonly #items: OpenAIInputItem[] = []
  #message: Growing | undefined
  #reasoning: JsonObject[] = []
  #withIds = false

  constructor(role: Role) {
    this.#role = role
  }

  /** A text; `id` and `phase` are those of the message that it is part of, empty where nothing is known of it. */
  text(text: string, annotations: readonly JsonObject[], id: string, phase: string): void {
    this.#lead()
    const own = this.#role === "assistant"
    const message = this.#messageOf(this.#withIds ? id : "", phase)
    if (!own) message.content.push({ type: "input_text", text })
    else message.content.push({ type: "output_text", text, ...(annotations.length > 0 && { annotations }) })
  }

  part(part: OpenAIInputPart | undefined): void {
    if (part) this.#messageOf("", "").content.push(part)
  }

  /** Any other item; `id` is the provider's for one that is made anew. */
  item(item: OpenAIInputItem, id = ""): void {
    this.#close()
    this.#lead()
    this.#items.push(this.#withIds && id !== "" ? { ...item, id } : item)
  }

  reasoning(item: JsonObject): void {
    this.#close()
    this.#reasoning.push(item)
  }

  /** All items; reasoning that nothing follows is left out. */
  end(): readonly OpenAIInputItem[] {
    this.#close()
    return this.#items
  }

  #lead(): void {
    if (this.#reasoning.length === 0) return
    for (const { id, status: _, ...item } of this.#reasoning) {
      const sealed = item["encrypted_content"] !== undefined
      this.#withIds = !sealed && id !== undefined
      // with neither it is nothing that the API knows again
      if (sealed) this.#items.push(item)
      else if (id !== undefined) this.#items.push({ id, ...item })
    }
    this.#reasoning = []
  }

  #messageOf(id: string, phase: string): Growing {
    if (this.#message?.id !== id || this.#message.phase !== phase) this.#close()
    this.#message ??= { id, phase, content: [] }
    return this.#message
  }

  #close(): void {
    if (this.#message === undefined) return
    const { id, phase, content } = this.#message
    this.#message = undefined
    this.#items.push({
      ...(id !== "" && { type: "message", id, status: "completed" }),
      role: this.#role === "tool" ? "user" : this.#role,
      content,
      ...(phase !== "" && { phase }),
    })
  }
}
