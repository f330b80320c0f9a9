import type { AgentEvent, Approval, PendingCall, ToolResultBlock, ToolUseBlock } from "@agentscope-ts/message"
import { textOf } from "@agentscope-ts/message"
import { callLine, resultLines } from "./terminal/call-view.ts"
import { cleanText, TextCleaner } from "./terminal/clean-text.ts"
import type { Pane } from "./terminal/pane.ts"

/** Shows events to a person: the answer in one pane, what is done for it (calls, results, thinking) in another or the same. */
export class Screen {
  readonly answer: Pane
  readonly activity: Pane
  readonly #text = new TextCleaner()
  readonly #thinking = new TextCleaner()
  /** Calls that began and are not shown yet: one that turns out to wait for approval is shown once it was decided. */
  readonly #begun = new Map<string, ToolUseBlock>()
  #timer: NodeJS.Timeout | undefined
  /** Calls that the person was asked about, as they are to run. */
  readonly #decided = new Map<string, ToolUseBlock>()
  /** The call whose line was written last: its result needs no name. */
  #last = ""
  /** The message whose text was streamed last. */
  #streamed = ""

  constructor(answer: Pane, activity: Pane) {
    this.answer = answer
    this.activity = activity
  }

  show(event: AgentEvent): void {
    switch (event.type) {
      case "text_delta":
        this.#streamed = event.msgId
        return this.#write(this.answer, "text", this.#text.push(event.text))
      case "thinking_delta":
        return this.#write(this.activity, "thinking", this.#thinking.push(event.text), (text) =>
          this.activity.style("dim", text),
        )
      case "block_end":
      case "model_end":
        return this.#flush()
      case "tool_execution_start":
        return this.#begin(event.toolUse)
      case "pending":
        this.#begun.delete(event.pending.toolUse.id)
        return undefined
      case "tool_result":
        return this.#result(event.toolUse, event.result)
      case "retry":
        return this.note(`Trying again in ${(event.delayMs / 1000).toFixed(1)} s: ${event.error.message}`)
      case "warning":
        return this.note(event.message)
      case "reply_end": {
        // what nobody streamed, such as the words that end an interrupted turn
        const { id, finishReason, pending } = event.reply
        if (pending.length > 0 || id === this.#streamed) return undefined
        const text = cleanText(textOf(event.reply))
        if (text === "") return undefined
        return finishReason === "completed" ? this.#write(this.answer, "text", text) : this.note(text)
      }
      default:
        return undefined
    }
  }

  /** The person was asked about a call, which runs with this input if at all. */
  decided({ toolUse }: PendingCall, { input }: Approval): void {
    this.#decided.set(toolUse.id, input ? { ...toolUse, input } : toolUse)
  }

  /** A line of Friday's own, in the pane of what is done. */
  note(text: string): void {
    this.#showBegun()
    this.activity.begin("note")
    this.activity.line(this.activity.style("yellow", cleanText(text)))
  }

  /** Ends a turn: the next begins without an empty line. */
  end(): void {
    this.#flush()
    this.answer.reset()
    this.activity.reset()
    this.#begun.clear()
    clearTimeout(this.#timer)
    this.#decided.clear()
    this.#last = ""
  }

  #begin(toolUse: ToolUseBlock): void {
    const decided = this.#decided.get(toolUse.id)
    if (decided) return this.#call(decided)
    this.#begun.set(toolUse.id, toolUse)
    // a call that waits says so at once; any other is shown when there is something to say of it, or soon
    this.#timer ??= setTimeout(() => this.#showBegun(), 50)
  }

  #showBegun(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const toolUse of this.#begun.values()) this.#call(toolUse)
    this.#begun.clear()
  }

  #call(toolUse: ToolUseBlock): void {
    this.#last = toolUse.id
    if (this.answer !== this.activity) this.answer.part()
    this.activity.begin("tools")
    this.activity.line(callLine(this.activity, toolUse))
  }

  #result(toolUse: ToolUseBlock, result: ToolResultBlock): void {
    this.#begun.delete(toolUse.id)
    if (this.#last !== toolUse.id) this.#call(this.#decided.get(toolUse.id) ?? toolUse)
    this.activity.begin("tools")
    this.#last = ""
    for (const line of resultLines(this.activity, result)) this.activity.line(line)
  }

  #flush(): void {
    this.#write(this.answer, "text", this.#text.end())
    this.#write(this.activity, "thinking", this.#thinking.end(), (text) => this.activity.style("dim", text))
  }

  #write(pane: Pane, kind: string, text: string, style = (plain: string) => plain): void {
    if (text === "") return
    this.#showBegun()
    pane.begin(kind)
    pane.write(style(text))
  }
}
