import { AgentScopeError } from "@agentscope-ts/message"
import type { ChatModel } from "@agentscope-ts/model"
import { findOllama, ollamaModel, ollamaPlace } from "./find-ollama.ts"
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
}

const unusable = (wanted: string, message: string) =>
  new AgentScopeError({ code: "usage", message: `--model ${wanted}: ${message}` })

const loadOffline = () => import("@agentscope-ts/model-offline")

async function offline(): Promise<Chosen> {
  const { OfflineChatModel } = await loadOffline()
  return { model: new OfflineChatModel({ setup }), label: "offline rules, no language model", offline: true }
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
 * @throws AgentScopeError `usage` when what is asked for has no key, or does not run.
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
  const provider = providers.find((candidate) => keyIn(env, candidate))
  if (provider) return ofProvider(provider, wanted)
  // what is mostly needed then is loaded meanwhile
  const [ollama] = isAutomated(env) ? [] : await Promise.all([findOllama(env), loadOffline()])
  const model = ollama && (wanted ?? ollama.preferred)
  if (model) return ofOllama(env, model)
  if (wanted === undefined) return offline()
  const keys = providers.map(({ keys: [key] }) => key).join(", ")
  throw unusable(wanted, `there is no key, and no Ollama runs. Set one of ${keys}, or use --model offline.`)
}
