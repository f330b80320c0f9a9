import { AgentScopeError, nearestName } from "@agentscope-ts/message"
import type { ChatModel } from "@agentscope-ts/model"
import { findOllama, isOllamaNamed, type Ollama, ollamaModel, ollamaPlace } from "./find-ollama.ts"
import { keyIn, type Provider, providers } from "./providers.ts"

type Environment = Readonly<Record<string, string | undefined>>

const exports = providers.map(({ keys: [key], label }) => [`export ${key}=…`, label] as const)
const width = Math.max(...exports.map(([line]) => line.length))
/** What to type for a language model. */
export const setup = [...exports, ["ollama pull qwen3", "on this machine, with Ollama running"] as const]
  .map(([line, label]) => `${line.padEnd(width)}   # ${label}`)
  .join("\n")

/** A model, with what a person is told about it. */
export interface Chosen {
  readonly model: ChatModel
  readonly label: string
  /** No language model: rules. */
  readonly offline: boolean
  /** Why it is not what the person may have counted on. */
  readonly note?: string
}

const unusable = (wanted: string, message: string) =>
  new AgentScopeError({ code: "usage", message: `--model ${wanted}: ${message}` })

const loadOffline = () => import("@agentscope-ts/model-offline")

async function offline(note?: string): Promise<Chosen> {
  const { OfflineChatModel } = await loadOffline()
  const model = new OfflineChatModel({ setup })
  return { model, label: "offline rules, no language model", offline: true, ...(note !== undefined && { note }) }
}

/** What there is to say where rules answer although somebody said where Ollama is. */
function missedOllama(env: Environment, found: Ollama | undefined): string | undefined {
  if (!isOllamaNamed(env)) return undefined
  const place = `${ollamaPlace(env)} (OLLAMA_HOST)`
  return found
    ? `The Ollama at ${place} has no model to talk to, so plain rules answer. Install one: ollama pull qwen3`
    : `No Ollama answers at ${place}, so plain rules answer. Start it: ollama serve`
}

/** What was probably meant by a name that is like a provider's: `anthropc:claude` is no model of anybody's. */
function meantBy(wanted: string | undefined): string | undefined {
  const [head = "", ...rest] = wanted?.split(":") ?? []
  // the names of models have digits and the like in them
  if (!/^[a-z]+$/i.test(head)) return undefined
  const near = nearestName(head, [...providers.map(({ name }) => name), "ollama", "offline"], { strict: true })
  return near && [near, ...rest].join(":")
}

async function ofOllama(env: Environment, model: string): Promise<Chosen> {
  return { model: await ollamaModel(env, model), label: `${model}, Ollama`, offline: false }
}

async function ofProvider(provider: Provider, name: string | undefined): Promise<Chosen> {
  const model = name || provider.model
  return { model: await provider.create(model), label: `${model}, ${provider.label}`, offline: false }
}

/** Whether somebody may be surprised by a model that is there by chance. */
const isAutomated = ({ CI }: Environment): boolean => !["", "0", "false"].includes(CI ?? "")

/** `ollama` or `ollama:NAME`: there is no key to look for. */
async function wantedOllama(env: Environment, wanted: string): Promise<Chosen> {
  const name = wanted.slice("ollama:".length)
  if (name !== "") return ofOllama(env, name)
  const found = await findOllama(env)
  if (!found) throw unusable(wanted, `no Ollama answers at ${ollamaPlace(env)}. Start it: ollama serve`)
  if (!found.preferred) throw unusable(wanted, "Ollama has no model to talk to. Install one: ollama pull qwen3")
  return ofOllama(env, found.preferred)
}

/**
 * The model to talk to: the first provider whose key is in the environment, else a running Ollama, else the offline model.
 * `wanted` is what `--model` says: a model of that provider, `provider:model`, a provider's name, or `offline`. Where `CI`
 * is set, Ollama is used only when it is asked for.
 * @throws AgentScopeError `usage` when what is asked for has no key, does not run, or is a provider's name misspelt.
 */
export async function chooseModel(env: Environment, wanted?: string): Promise<Chosen> {
  if (wanted === "offline") return offline()
  if (wanted === "ollama" || wanted?.startsWith("ollama:")) return wantedOllama(env, wanted)
  const named = providers.find(({ name }) => wanted === name || wanted?.startsWith(`${name}:`))
  if (named) {
    const asked = wanted ?? named.name
    if (!keyIn(env, named)) throw unusable(asked, `there is no key. Set ${named.keys.join(" or ")}.`)
    return ofProvider(named, asked.slice(named.name.length + 1))
  }
  const meant = meantBy(wanted)
  const checkName = (): void => {
    if (wanted !== undefined && meant !== undefined) throw unusable(wanted, `no such provider. Did you mean ${meant}?`)
  }
  const provider = providers.find((candidate) => keyIn(env, candidate))
  if (provider) {
    checkName()
    return ofProvider(provider, wanted)
  }
  // what is mostly needed then is loaded meanwhile
  const [ollama] = isAutomated(env) ? [] : await Promise.all([findOllama(env), loadOffline()])
  const model = ollama && (wanted ?? ollama.preferred)
  if (model) {
    // mixtral is a model there
    if (!ollama.has(model)) checkName()
    return ofOllama(env, model)
  }
  if (wanted === undefined) return offline(isAutomated(env) ? undefined : missedOllama(env, ollama))
  checkName()
  const keys = providers.map(({ keys: [key] }) => key).join(", ")
  throw unusable(wanted, `there is no key, and no Ollama runs. Set one of ${keys}, or use --model offline.`)
}
