import { didYouMean } from "@agentscope-ts/message"
import type { MemoryScope } from "@agentscope-ts/memory"
import type { ChatModel, EmbeddingModel } from "@agentscope-ts/model"
import { mem0Error } from "./mem0-error.ts"

/** A part of mem0: which one, and what it is made with, in mem0's own words. */
export interface Mem0Part {
  readonly provider: string
  readonly config: Readonly<Record<string, unknown>>
}

/** A configuration as `new Memory(config)` of `mem0ai/oss` takes it. */
export interface Mem0Config {
  readonly version?: string | undefined
  readonly llm?: Mem0Part | undefined
  readonly embedder?: Mem0Part | undefined
  readonly vectorStore?: Mem0Part | undefined
  readonly historyStore?: Mem0Part | undefined
  readonly reranker?: Mem0Part | undefined
  readonly historyDbPath?: string | undefined
  readonly disableHistory?: boolean | undefined
  readonly customInstructions?: string | undefined
}

/** Options of `Mem0LongTermMemory`: either models and a `path`, or a `config`, or the `apiKey` of the hosted service. */
export interface Mem0Options {
  /** Whose memory it is; at least one id. With `apiKey` exactly one: the service keeps those of users and agents apart. */
  scope: MemoryScope
  /** Takes facts out of what is recorded; in the place of `config.llm` where both are given. */
  model?: ChatModel | undefined
  /** Finds by meaning; in the place of `config.embedder` where both are given. One file or collection is for one model. */
  embeddings?: EmbeddingModel | undefined
  /** The file of mem0's own vector store, whose name ends with `.db`, or `":memory:"`; in the place of `config.vectorStore`. */
  path?: string | undefined
  /** mem0's own configuration: any of its models, stores and rerankers. */
  config?: Mem0Config | undefined
  /** The key of the hosted service. */
  apiKey?: string | undefined
  /** Another address of the hosted service. */
  host?: string | undefined
}

const names = ["scope", "model", "embeddings", "path", "config", "apiKey", "host"]
const refuse = (message: string): Error => mem0Error("invalid_argument", `Mem0LongTermMemory: ${message}`)

/** Throws `invalid_argument` for options that are none, do not go together, or are not enough. */
export function checkOptions(options: Mem0Options): void {
  if (typeof options !== "object" || options === null) throw refuse("options must be an object.")
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || names.includes(name)) continue
    throw refuse(`there is no option "${name}". There are: ${names.join(", ")}.${didYouMean(name, names)}`)
  }
  const { model, embeddings, path, config, apiKey, host, scope } = options
  if (model !== undefined && typeof model?.generate !== "function") throw refuse("model must be a ChatModel.")
  if (embeddings !== undefined && typeof embeddings?.embed !== "function") {
    throw refuse("embeddings must be an EmbeddingModel.")
  }
  if (config !== undefined && (typeof config !== "object" || config === null)) {
    throw refuse("config must be an object, as mem0 takes it.")
  }
  if (path !== undefined) checkPath("path", path)
  const store = config?.vectorStore
  const dbPath = store?.config?.["dbPath"]
  if (path === undefined && store?.provider?.toLowerCase() === "memory" && dbPath !== undefined) {
    checkPath("config.vectorStore.config.dbPath", dbPath)
  }
  if (apiKey === undefined) {
    if (host !== undefined) throw refuse("host is of the hosted service: give its apiKey, too.")
    if (config !== undefined) return
    const missing = Object.entries({ model, embeddings, path }).filter(([, value]) => value === undefined)
    if (missing.length === 0) return
    const which = missing.map(([name]) => name).join(" and ")
    throw refuse(`${which} must be given, or a config of mem0, or the apiKey of its hosted service.`)
  }
  if (typeof apiKey !== "string" || apiKey.trim() === "") throw refuse("apiKey must be a text that is not empty.")
  if (host !== undefined && typeof host !== "string") throw refuse("host must be an address.")
  if ([model, embeddings, path, config].some((each) => each !== undefined)) {
    throw refuse(
      "with an apiKey, mem0's service has its own models and stores: leave out model, embeddings, path, config.",
    )
  }
  if (Object.values(scope ?? {}).filter((id) => id !== undefined).length > 1) {
    throw refuse("the hosted service finds nothing by two ids at once: give one of userId, agentId and sessionId.")
  }
}

/** mem0 puts a second file beside it by its ending; without one it would mix names of things among the memories. */
function checkPath(name: string, path: unknown): void {
  if (path === ":memory:" || (typeof path === "string" && path.endsWith(".db") && path.length > 3)) return
  throw refuse(`${name} is ${JSON.stringify(path)}: give a file name that ends with .db, or ":memory:".`)
}
