import { type ContentBlock, cutText, cutTextStart, type MediaBlock, type Msg, textOf } from "@agentscope-ts/message"

// of what somebody said the whole counts, of what a tool said mostly the beginning and the end
const longestSaid = 20_000
const longestInput = 2000

/** Messages as a text that a summarising model reads: one entry each, thinking left out, media named. */
export function transcript(messages: readonly Msg[]): readonly string[] {
  return messages.flatMap((msg) => {
    const parts = msg.content.flatMap((block) => told(block))
    if (parts.length === 0) return []
    const head =
      msg.role === "tool" ? "[results of tools]" : `[${msg.role}${msg.name === msg.role ? "" : ` "${msg.name}"`}]`
    return [`${head}\n${parts.join("\n")}\n`]
  })
}

function told(block: ContentBlock): readonly string[] {
  switch (block.type) {
    case "text":
      return block.text.trim() === "" ? [] : [shortened(block.text, longestSaid)]
    case "thinking":
      return []
    case "tool_use":
      return [`(calls ${block.name}: ${shortened(JSON.stringify(block.input), longestInput)})`]
    case "tool_result": {
      const state = block.state === "success" ? "" : `, ${block.state}`
      const media = block.output.flatMap((part) => (part.type === "text" ? [] : [medium(part)]))
      return [`(${block.name}${state}: ${[shortened(textOf(block, ""), longestSaid), ...media].join(" ")})`]
    }
    default:
      return [medium(block)]
  }
}

function medium({ type, name, source }: MediaBlock): string {
  const called = name ?? (source.type === "url" && !source.url.startsWith("data:") ? source.url : undefined)
  return `[${type}${called === undefined ? "" : ` ${shortened(called, 500)}`}]`
}

function shortened(text: string, length: number): string {
  if (text.length <= length) return text
  const [head, tail] = [cutText(text, Math.floor((length * 2) / 3)), cutTextStart(text, Math.floor(length / 3))]
  return `${head}\n[… ${text.length - head.length - tail.length} characters left out …]\n${tail}`
}
