import type { ContentBlock, Msg, ToolResultBlock, ToolUseBlock } from "@agentscope-ts/message"
import type { Dialect } from "./dialect.ts"
import { fitsRule } from "./fit-name.ts"
import { callsLast, hasTail } from "./order.ts"
import { allowedBlocks, isBlank, isForeign } from "./tidy.ts"

/** A reason why a provider would refuse a history; `index` is the message's. */
export interface HistoryProblem {
  readonly index: number
  readonly problem: string
}

/** Everything in a history that a provider with this dialect would refuse; empty when it is valid. */
export function validateHistory(messages: readonly Msg[], dialect: Dialect): readonly HistoryProblem[] {
  const problems: HistoryProblem[] = []
  const seen = new Set<string>()
  for (const [index, msg] of messages.entries()) {
    const report = (problem: string) => problems.push({ index, problem })
    if (msg.content.length === 0) report("the message is empty")
    if (!isWellFormed(msg.name)) report("the name has a lone surrogate")
    for (const block of msg.content) {
      checkBlock(block, msg, dialect, report)
      if (block.type !== "tool_use") continue
      if (seen.has(block.id)) report(`tool call id "${block.id}" occurs twice`)
      seen.add(block.id)
    }
    if (dialect.toolUses === "last" && callsLast(msg.content) !== msg.content) report("something follows a tool call")
    if (dialect.trailingBlanks === false && index === messages.length - 1 && hasTail(msg)) {
      report("the last text ends in white space")
    }
    checkResults(messages, index, report)
  }
  return problems
}

type Report = (problem: string) => void

function checkBlock(block: ContentBlock, { role }: Msg, dialect: Dialect, report: Report): void {
  const fits = role === "tool" ? block.type === "tool_result" : allowedBlocks[role].includes(block.type)
  if (!fits) report(`a ${block.type} block cannot stand in a ${role} message`)
  const opaque = "opaque" in block ? block.opaque : undefined
  if (isForeign(opaque, dialect)) report(`the ${block.type} block has opaque data of another provider`)
  if (!isWellFormed(sentPart(block))) report(`the ${block.type} block has a lone surrogate`)
  switch (block.type) {
    case "text":
      if (!block.opaque && isBlank(block.text)) report("a text block is blank")
      break
    case "thinking":
      if (dialect.thinking === "none") report("thinking cannot go back")
      else if (dialect.thinking === "signed" && !opaque) report("thinking without a signature cannot go back")
      else if (!opaque && isBlank(block.thinking)) report("a thinking block is blank")
      break
    case "tool_use": {
      const { id, name, input, rawInput } = block
      if (!fitsRule(id, dialect.toolCallId ?? {}))
        report(`tool call id "${id}" is not one that ${dialect.provider} takes`)
      if (!fitsRule(name, { pattern: dialect.toolName }))
        report(`tool name "${name}" is not one that ${dialect.provider} takes`)
      if (rawInput !== undefined) report(`the arguments of "${name}" (${id}) did not parse and cannot go back`)
      if (typeof input !== "object" || input === null || Array.isArray(input))
        report(`the input of "${name}" (${id}) is no object`)
      break
    }
    case "tool_result":
      for (const part of block.output) {
        if (isForeign(part.opaque, dialect)) report("a result holds opaque data of another provider")
        if (part.type === "text" && !part.opaque && isBlank(part.text)) report("a text of a result is blank")
      }
      break
    default:
  }
}

/** What of a block is sent as text: not opaque data and the thinking that it signs, nor what is for programs only. */
function sentPart(block: ContentBlock): unknown {
  if (block.type === "thinking") return block.opaque ? undefined : block.thinking
  if (block.type === "tool_use") return [block.id, block.name, block.input]
  if (block.type === "tool_result") return [block.id, block.name, block.output.map(sentPart)]
  return { ...block, opaque: undefined }
}

/** The calls of a message are answered by the tool messages right after it, each once, and by nothing else. */
function checkResults(messages: readonly Msg[], index: number, report: Report): void {
  const msg = messages[index] as Msg
  const calls = msg.content.filter((block): block is ToolUseBlock => block.type === "tool_use")
  const results: ToolResultBlock[] = []
  for (let i = index + 1; messages[i]?.role === "tool"; i++) {
    for (const block of messages[i]?.content ?? []) if (block.type === "tool_result") results.push(block)
  }
  if (msg.role === "tool") {
    if (index === 0) report("results without a call")
    return
  }
  for (const { id, name } of calls) {
    const count = results.filter((result) => result.id === id).length
    if (count !== 1)
      report(`tool call "${name}" (${id}) has ${count === 0 ? "no result" : `${count} results`} right after it`)
  }
  for (const { id, name } of results) {
    if (!calls.some((call) => call.id === id)) report(`the result of "${name}" (${id}) answers no call of this message`)
  }
}

/** No string in the value, keys too, has a lone surrogate. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed()
  if (typeof value !== "object" || value === null) return true
  return Object.entries(value).every(([key, item]) => key.isWellFormed() && isWellFormed(item))
}
