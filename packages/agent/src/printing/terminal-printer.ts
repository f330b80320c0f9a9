import { type AgentEvent, cutText, type PendingCall, textOf, type ToolResultBlock } from "@agentscope-ts/message"

/** Where printed text goes: the terminal, unless given. */
export type Write = (text: string) => void

const resultLimit = 1_000

/** Turns events into lines for a person: `Friday: It is sunny.`, as they are streamed. Sub-agents are set in. */
export function terminalPrinter(write: Write = terminal()): (event: AgentEvent) => void {
  /** The block whose text is being written, so that deltas of two agents at a time do not run together. */
  let open = ""
  /** The last message that was written as it streamed. */
  let streamed = ""

  const close = () => {
    if (open !== "") write("\n")
    open = ""
  }
  const line = (event: AgentEvent, text: string) => {
    close()
    write(`${indented(event, text)}\n`)
  }
  const delta = (event: AgentEvent & { index: number; msgId: string }, label: string, text: string) => {
    const block = `${event.msgId}/${event.index}`
    if (block !== open) {
      close()
      write(indent(event) + label)
      open = block
    }
    streamed = event.msgId
    write(event.path.length === 0 ? text : text.replaceAll("\n", `\n${indent(event)}`))
  }

  return (event) => {
    switch (event.type) {
      case "text_delta":
        return delta(event, `${event.agent}: `, event.text)
      case "thinking_delta":
        return delta(event, `${event.agent} (thinking): `, event.text)
      case "block_end":
        return `${event.msgId}/${event.index}` === open ? close() : undefined
      case "tool_execution_start": {
        const { name, input } = event.toolUse
        return line(event, `${event.agent} calls ${name} ${cutText(JSON.stringify(input), resultLimit)}`)
      }
      case "tool_result":
        return line(event, `${event.toolUse.name}: ${resultText(event.result)}`)
      case "pending":
        return line(event, `${event.agent} ${pendingText(event.pending)}`)
      case "retry":
        return line(event, `${event.agent} tries again in ${event.delayMs} ms: ${event.error.message}`)
      case "warning":
        return line(event, `${event.agent} (${event.code}): ${event.message}`)
      case "error":
        return line(event, `${event.agent} failed: ${event.error.message}`)
      case "reply_end": {
        // what nobody streamed: the answer to an interrupt, a structured value, a custom agent's message
        const text = event.reply.id === streamed ? "" : textOf(event.reply)
        return text === "" ? close() : line(event, `${event.agent}: ${text}`)
      }
      default:
        return undefined
    }
  }
}

const indent = (event: AgentEvent) => "  ".repeat(event.path.length)
const indented = (event: AgentEvent, text: string) =>
  event.path.length === 0 ? text : indent(event) + text.replaceAll("\n", `\n${indent(event)}`)

function resultText(result: ToolResultBlock): string {
  const text = textOf(result)
  const shown = cutText(text, resultLimit)
  const state = result.state === "success" ? "" : `[${result.state}] `
  return state + (shown.length < text.length ? `${shown} … (${text.length} characters)` : shown)
}

function pendingText({ kind, toolUse, reason }: PendingCall): string {
  const what = kind === "approval" ? "asks for approval of" : "waits for the result of"
  return `${what} ${toolUse.name} ${JSON.stringify(toolUse.input)}${reason ? `: ${reason}` : ""}`
}

/** Standard output, or whole lines to the console where there is none. */
function terminal(): Write {
  const out = globalThis.process?.stdout as { write?(text: string): unknown } | undefined
  if (out?.write) return (text) => out.write?.(text)
  let line = ""
  return (text) => {
    line += text
    const end = line.lastIndexOf("\n")
    if (end < 0) return
    console.log(line.slice(0, end))
    line = line.slice(end + 1)
  }
}
