import { assistantMsg, systemMsg, textOf, userMsg } from "@agentscope-ts/message"
import type { ChatModel, EmbeddingModel } from "@agentscope-ts/model"
import type { CallScope } from "./call-scope.ts"

interface AskedMessage {
  readonly role: string
  readonly content: unknown
}

/** A model in the place of mem0's own: what mem0 calls of it. */
export interface Mem0Llm {
  generateResponse(messages: readonly AskedMessage[]): Promise<string>
  generateChat(messages: readonly AskedMessage[]): Promise<{ content: string; role: string }>
}

/** A chat model as mem0 asks it. It is told in words to answer in JSON, so nothing else is asked for. */
export function llmOf(model: ChatModel, calls: CallScope): Mem0Llm {
  const answer = async (asked: readonly AskedMessage[]) => {
    const messages = asked.map(({ role, content }) => {
      const text = typeof content === "string" ? content : JSON.stringify(content)
      return role === "system" ? systemMsg(text) : role === "assistant" ? assistantMsg(text) : userMsg(text)
    })
    return textOf(await calls.ask(({ signal }) => model.generate({ messages, signal })))
  }
  return {
    generateResponse: answer,
    generateChat: async (asked) => ({ content: await answer(asked), role: "assistant" }),
  }
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
