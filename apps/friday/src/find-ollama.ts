import { connect } from "node:net"
import type { ChatModel } from "@agentscope-ts/model"

type Environment = Readonly<Record<string, string | undefined>>

/** How long a look at this machine's port may take, in milliseconds. */
const connectMs = 100

/** A running Ollama. */
export interface Ollama {
  /** The installed model to talk to: one that can call tools, if there is one. Undefined when none is installed. */
  readonly preferred: string | undefined
  /** Whether the model is installed. */
  readonly has: (model: string) => boolean
}

const hostIn = (env: Environment): string | undefined => env["OLLAMA_HOST"]?.trim() || undefined

/** Where Ollama is looked for, for messages. */
export const ollamaPlace = (env: Environment): string => hostIn(env) ?? "127.0.0.1:11434"

/** Whether somebody said where Ollama is, and so counts on it. */
export const isOllamaNamed = (env: Environment): boolean => hostIn(env) !== undefined

/**
 * A running Ollama, or undefined. Without `OLLAMA_HOST` a look at the port comes first: nothing is loaded, and next to no
 * time passes, where nothing listens.
 */
export async function findOllama(env: Environment): Promise<Ollama | undefined> {
  const baseURL = hostIn(env)
  if (baseURL === undefined && !(await listens())) return undefined
  const { ollamaModels } = await import("@agentscope-ts/model-ollama")
  const models = await ollamaModels({ baseURL })
  if (models === undefined) return undefined
  const can = (ability: string) => models.find(({ capabilities }) => capabilities?.includes(ability))
  const unknown = models.find(({ capabilities }) => capabilities === undefined)
  return {
    preferred: (can("tools") ?? can("completion") ?? unknown)?.name,
    has: (model) => models.some(({ name }) => name === model || name === `${model}:latest`),
  }
}

/** A model that Ollama serves. */
export async function ollamaModel(env: Environment, model: string): Promise<ChatModel> {
  const { OllamaChatModel } = await import("@agentscope-ts/model-ollama")
  return new OllamaChatModel({ model, baseURL: hostIn(env) })
}

function listens(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port: 11_434 })
    const end = (found: boolean) => {
      socket.destroy()
      resolve(found)
    }
    socket.setTimeout(connectMs, () => end(false))
    socket.once("connect", () => end(true))
    socket.once("error", () => end(false))
  })
}
