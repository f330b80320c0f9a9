import { AgentScopeError, cutText, type Msg, systemMsg, textOf, userMsg } from "@agentscope-ts/message"
import { CharTokenCounter, type ChatModel, type ChatRequest, type ChatResponse } from "@agentscope-ts/model"
import { memoryError } from "../error.ts"
import { plainRequest, plainSummary, summaryPrompt, summarySchema, summaryText } from "./summary.ts"
import { transcript } from "./transcript.ts"

/** On what terms a summary is written. */
export interface SummaryTerms {
  /** Asked in this order: the next one where one fails. */
  readonly models: readonly ChatModel[]
  readonly prompt?: string | undefined
  /** How many tokens of the history go into one request, where the model's context is not known. */
  readonly partTokens: number
  readonly signal?: AbortSignal | undefined
  /** Calls a model in the place of `generate`: to count what it takes, or keep it within a budget. */
  readonly ask?: ((model: ChatModel, request: ChatRequest) => Promise<ChatResponse>) | undefined
}

/** More is not read: of a history that long the middle is left out. */
const mostParts = 8
const mostHalvings = 4
/** Another question to the same model may help: it could not be held to the schema, or did not keep to it. */
const worthPlain = ["malformed_response", "unsupported", "invalid_request", "invalid_schema", "compaction_failed"]
const counter = new CharTokenCounter()

/**
 * Sums messages up, with the summary of what came before them. A history too long for one request of the model is read in
 * parts, each with the notes so far. A model that does not keep to the schema is asked once more for plain text.
 *
 * @throws AgentScopeError `compaction_failed` for an answer without a summary, or as the last model throws.
 */
export async function summarise(
  messages: readonly Msg[],
  earlier: string | undefined,
  terms: SummaryTerms,
): Promise<string> {
  const entries = transcript(messages)
  let failure: unknown
  for (const model of terms.models) {
    try {
      return await withModel(model, entries, earlier, terms)
    } catch (error) {
      if (terms.signal?.aborted) throw error
      failure = error
    }
  }
  throw failure
}

async function withModel(
  model: ChatModel,
  entries: readonly string[],
  earlier: string | undefined,
  terms: SummaryTerms,
): Promise<string> {
  const { contextWindow } = model
  // room for the instructions, the earlier notes and the answer
  let tokens = contextWindow === undefined ? terms.partTokens : Math.floor(contextWindow / 2)
  for (let halvings = 0; ; halvings++) {
    try {
      let notes = earlier ?? ""
      for (const part of await partsOf(entries, tokens)) notes = await write(model, part, notes, terms)
      return notes
    } catch (error) {
      if (!AgentScopeError.is(error, "context_overflow") || halvings >= mostHalvings || terms.signal?.aborted)
        throw error
      const total = await tokensOf(entries.join("\n"))
      tokens = Math.max(1, Math.floor(Math.min(tokens, total) / 2))
    }
  }
}

/** The notes after one part of the history. */
async function write(model: ChatModel, part: string, notes: string, terms: SummaryTerms): Promise<string> {
  const before = notes === "" ? "" : `<earlier_notes>\n${notes}\n</earlier_notes>\n\n`
  const asked = `${before}<conversation>\n${part}\n</conversation>\n\nWrite the new notes.`
  const request = (more: string): ChatRequest => ({
    messages: [systemMsg(terms.prompt ?? summaryPrompt), userMsg(`${asked}${more}`)],
    signal: terms.signal,
  })
  try {
    const response = await ask(model, { ...request(""), schema: summarySchema }, terms)
    return orFail(summaryText(response.structured) ?? plainSummary(textOf(response)), model)
  } catch (error) {
    // words in the place of JSON are notes, too
    const said = AgentScopeError.is(error, "malformed_response")
      ? (error.details as { text?: unknown })?.text
      : undefined
    const plain = typeof said === "string" ? plainSummary(said) : undefined
    if (plain !== undefined) return plain
    const again = worthPlain.some((code) => AgentScopeError.is(error, code))
    if (!again || terms.signal?.aborted) throw error
  }
  const response = await ask(model, request(` ${plainRequest}`), terms)
  return orFail(plainSummary(textOf(response)), model)
}

function orFail(summary: string | undefined, { provider, model }: ChatModel): string {
  if (summary !== undefined) return summary
  throw memoryError("compaction_failed", `${provider}/${model} was asked for a summary, and its answer has none.`)
}

function ask(model: ChatModel, request: ChatRequest, terms: SummaryTerms): Promise<ChatResponse> {
  terms.signal?.throwIfAborted()
  return terms.ask ? terms.ask(model, request) : model.generate(request)
}

/** The history in parts that fit a request. */
async function partsOf(entries: readonly string[], tokens: number): Promise<readonly string[]> {
  const parts: string[] = []
  let part: string[] = []
  let sum = 0
  for (const entry of entries) {
    const size = await tokensOf(entry)
    // a token has two characters at least, but for scripts of which a message is never that long
    const fitting = size <= tokens ? entry : cutText(entry, tokens * 2)
    if (part.length > 0 && sum + size > tokens) {
      parts.push(part.join("\n"))
      part = []
      sum = 0
    }
    part.push(fitting)
    sum += Math.min(size, tokens)
  }
  parts.push(part.join("\n"))
  if (parts.length <= mostParts) return parts
  const newest = parts.slice(1 - mostParts)
  return [
    parts[0] ?? "",
    `[${parts.length - mostParts} parts are left out here]\n${newest[0] ?? ""}`,
    ...newest.slice(1),
  ]
}

const tokensOf = (text: string): Promise<number> => counter.count([userMsg(text)])
