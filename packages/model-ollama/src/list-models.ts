import { AgentScopeError, ambient, onAbort } from "@agentscope-ts/message"
import { modelError } from "@agentscope-ts/model"
import {
  figureIn,
  httpError,
  networkError,
  objectIn,
  objectsIn,
  parseJson,
  targetOf,
  textIn,
} from "@agentscope-ts/model/wire"
import { apiUrl, endpointOf, type EndpointOptions } from "./endpoint.ts"
import { advised } from "./told-error.ts"

/** A model that an Ollama has. What the server does not tell is absent. */
export interface OllamaModel {
  readonly name: string
  /** In bytes. */
  readonly size?: number
  readonly family?: string
  /** Such as `8.0B`. */
  readonly parameterSize?: string
  /** Such as `Q4_K_M`. */
  readonly quantization?: string
  /** Such as `tools`, `vision`, `thinking`. */
  readonly capabilities?: readonly string[]
}

/** Options of {@link listModels}. */
export interface ListModelsOptions extends EndpointOptions {
  readonly signal?: AbortSignal | undefined
  /** How long the server may take. Default 10 seconds. */
  readonly timeoutMs?: number | undefined
}

/**
 * The models that an Ollama has, the ones used last first.
 * @throws AgentScopeError `network` where none runs, `timeout`, `aborted`, or what the server answered.
 */
export async function listModels(options: ListModelsOptions = {}): Promise<readonly OllamaModel[]> {
  const endpoint = endpointOf(options)
  const target = targetOf(apiUrl(endpoint, "tags"), endpoint.headers)
  const { signal, timeoutMs = 10_000 } = options
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), timeoutMs)
  const unlisten = onAbort(signal, () => controller.abort())
  try {
    const headers = Object.entries(endpoint.headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, value]],
    )
    const send = ambient().transport?.(endpoint.fetch ?? globalThis.fetch) ?? endpoint.fetch ?? globalThis.fetch
    const response = await send(target.url, { headers, signal: controller.signal })
    const { ok, status } = response
    const body = await response.text()
    if (!ok) throw httpError({ label: target.label, status, headers: Object.fromEntries(response.headers), body })
    const { models } = objectIn<{ models?: unknown }>(parseJson(body, `The answer of ${target.label}`)) ?? {}
    return objectsIn<Record<string, unknown>>(models).map(modelOf)
  } catch (error) {
    if (signal?.aborted)
      throw modelError({ code: "aborted", message: "Listing models was aborted.", cause: signal.reason })
    if (controller.signal.aborted) {
      throw modelError({ code: "timeout", message: `${target.label} did not answer within ${timeoutMs} ms.` })
    }
    throw advised(networkError(error, target, false), "", endpoint.baseURL)
  } finally {
    clearTimeout(timer)
    unlisten()
  }
}

/**
 * The models of an Ollama that may or may not run: undefined where none does, or where it takes longer than `timeoutMs`
 * (half a second) to answer.
 */
export async function ollamaModels(options: ListModelsOptions = {}): Promise<readonly OllamaModel[] | undefined> {
  try {
    return await listModels({ timeoutMs: 500, ...options })
  } catch (error) {
    if (AgentScopeError.is(error, "aborted") || AgentScopeError.is(error, "invalid_request")) throw error
    return undefined
  }
}

function modelOf({ name, model, size, details, capabilities }: Record<string, unknown>): OllamaModel {
  const { family, parameter_size, quantization_level } = objectIn<Record<string, unknown>>(details) ?? {}
  const told = {
    size: figureIn(size),
    family: textIn(family) || undefined,
    parameterSize: textIn(parameter_size) || undefined,
    quantization: textIn(quantization_level) || undefined,
    capabilities: Array.isArray(capabilities) ? capabilities.filter((item) => typeof item === "string") : undefined,
  }
  const entries = Object.entries(told).filter(([, value]) => value !== undefined)
  return { name: textIn(name) || textIn(model), ...Object.fromEntries(entries) }
}
