import type { CallScope } from "./call-scope.ts"
import { loadMem0 } from "./load-mem0.ts"
import { mem0Error } from "./mem0-error.ts"
import type { Mem0Config, Mem0Options, Mem0Part } from "./mem0-options.ts"
import type { Mem0Ids } from "./mem0-scope.ts"
import { itemsOf, type Mem0Message, type Mem0Store } from "./mem0-store.ts"
import { embedderOf, llmOf } from "./model-adapters.ts"

/** What is used of `Memory` of `mem0ai/oss`. */
interface LibraryMemory {
  add(messages: readonly Mem0Message[], options: Mem0Ids & { readonly infer: boolean }): Promise<unknown>
  search(query: string, options: { readonly filters: object; readonly topK: number }): Promise<unknown>
}
interface Library {
  readonly Memory: new (config: object) => LibraryMemory
}
interface Closable {
  close?(): unknown
  readonly db?: { close?(): unknown }
}

const dropped = (value: object): object =>
  Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined))

/** mem0's configuration out of the options; what is given one by one comes before what the configuration says. */
function configOf({ model, embeddings, path, config = {} }: Mem0Options, calls: CallScope): Mem0Config {
  const dimension = embeddings && { dimension: embeddings.dimensions }
  // made as a langchain model, the one kind that takes an object; its place is taken when mem0 is made
  const llm: Mem0Part | undefined = model && { provider: "langchain", config: { model: { invoke: unused } } }
  const embedder: Mem0Part | undefined = embeddings && {
    provider: "langchain",
    config: { model: embedderOf(embeddings, calls), embeddingDims: embeddings.dimensions },
  }
  const vectorStore: Mem0Part | undefined =
    path === undefined
      ? config.vectorStore
      : { provider: "memory", config: { collectionName: "agentscope", dbPath: path, ...dimension } }
  const historyDbPath =
    config.historyDbPath ?? (config.historyStore ? undefined : path?.replace(/\.db$/, "_history.db"))
  return dropped({
    ...config,
    llm: llm ?? config.llm,
    embedder: embedder ?? config.embedder,
    vectorStore,
    historyDbPath,
  })
}

function unused(): never {
  throw mem0Error("unsupported_version", "mem0 asks for its model in another way than mem0ai 3.3 does.")
}

/** Opens mem0 as a library. @throws AgentScopeError `missing_dependency`, `unsupported_version`. */
export async function openLibrary(options: Mem0Options, ids: Mem0Ids, calls: CallScope): Promise<Mem0Store> {
  const { Memory } = await loadMem0<Library>(() => import("mem0ai/oss"), "mem0ai better-sqlite3")
  const memory = new Memory(configOf(options, calls))
  if (options.model) {
    // mem0 has no way to be given a model of another library; the field is private in its types alone
    if (!("llm" in memory)) {
      throw mem0Error("unsupported_version", "This version of mem0ai has no place for a model. Install mem0ai@3.3.1.")
    }
    memory.llm = llmOf(options.model, calls)
  }
  const { userId, agentId, runId } = ids
  const filters = dropped({ user_id: userId, agent_id: agentId, run_id: runId })
  return {
    add: async (messages, infer) => itemsOf(await memory.add([...messages], { ...ids, infer })) ?? [],
    search: async (query, topK) => itemsOf(await memory.search(query, { filters: { ...filters }, topK })) ?? [],
    // mem0 has no close of its own: left alone, its files stay open for as long as the process
    close: () => {
      const { vectorStore, _entityStore, db } = memory as unknown as Readonly<Record<string, Closable | undefined>>
      for (const part of [vectorStore, _entityStore, db]) {
        if (typeof part?.close === "function") part.close()
        else part?.db?.close?.()
      }
    },
  }
}
