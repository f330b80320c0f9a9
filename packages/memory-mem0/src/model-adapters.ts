import { assistantMsg, cutText, systemMsg, textOf, userMsg } from "@agentscope-ts/message"
import type { ChatModel, EmbeddingModel } from "@agentscope-ts/model"
import type { CallScope } from "./call-scope.ts"
import { mem0Error } from "./mem0-error.ts"

interface AskedMessage {
  readonly role: string
  readonly content: unknown
}

/** A model in the place of mem0's own: what mem0 calls of it. */
export interface Mem0Llm {
  generateResponse(messages: readonly AskedMessage[], format?: { readonly type: string }): Promise<string>
  generateChat(messages: readonly AskedMessage[]): Promise<{ content: string; role: string }>
}

/**
 * A chat model as mem0 asks it. It is told in words to answer in JSON, so nothing else is asked for; an answer without any, out of
 * which mem0 would silently take nothing, is `memory_failed`.
 */
export function llmOf(model: ChatModel, calls: CallScope): Mem0Llm {
  const answer = async (asked: readonly AskedMessage[], format?: { readonly type: string }) => {
    const messages = asked.map(({ role, content }) => {
      const text = typeof content === "string" ? content : JSON.stringify(content)
      return role === "system" ? systemMsg(text) : role === "assistant" ? assistantMsg(text) : userMsg(text)
    })
    return calls.ask(async ({ signal }) => {
      const text = textOf(await model.generate({ messages, signal }))
      if (format?.type === "json_object" && !hasJson(text)) {
        const message = `Nothing was recorded: ${model.provider} ${model.model} was asked for the facts as JSON and answered "${cutText(text, 200)}". Use a model that keeps to a format.`
        throw mem0Error("memory_failed", message)
      }
      return text
    })
  }
  return {
    generateResponse: answer,
    generateChat: async (asked) => ({ content: await answer(asked), role: "assistant" }),
  }
}

/** Whether a JSON object stands somewhere in the text: mem0 looks for one between other words, too. */
function hasJson(text: string): boolean {
  const ends = [...text.matchAll(/\}/g)].map(({ index }) => index + 1).toReversed()
  let attempts = 0
  for (const { index } of text.matchAll(/\{/g)) {
    for (const end of ends) {
      if (end <= index) break
      // what is as long as that is left to mem0
      if (++attempts > 200) return true
      try {
        JSON.parse(text.slice(index, end))
        return true
      } catch {}
    }
  }
  return false
}

/** Embeddings in the form that mem0 takes as `langchain`, which needs no package for it. */
export interface Mem0Embedder {
  embedQuery(text: string): Promise<number[]>
  embedDocuments(texts: readonly string[]): Promise<number[][]>
}

/** An embedding model as mem0 asks it. */
export function embedderOf(model: EmbeddingModel, calls: CallScope): Mem0Embedder {
  const embed = async (texts: readonly string[]): Promise<number[][]> => {
    const { embeddings } = await calls.ask((options) => model.embed(texts, options))
    return embeddings.map((vector) => [...vector])
  }
  return { embedQuery: async (text) => (await embed([text]))[0] as number[], embedDocuments: embed }
}
