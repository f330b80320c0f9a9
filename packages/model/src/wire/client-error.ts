import { AgentScopeError, ambient } from "@agentscope-ts/message"
import { modelError } from "../errors/model-error.ts"
import { httpError } from "./http-error.ts"
import { withoutSecrets } from "./secrets.ts"
import type { Target } from "./target.ts"

/** The errors of vendors' SDKs, by what they carry. */
interface ClientError {
  readonly name?: string
  readonly status?: number
  readonly headers?: Headers
  readonly error?: unknown
  readonly message?: string
}

/** Clients of the generated SDKs can be copied with another `fetch`: how a tape gets between. */
interface Copyable {
  readonly fetch?: unknown
  withOptions?(options: { fetch: typeof globalThis.fetch }): unknown
}

/** The client, its requests going over a tape where there is one. */
export function tapedClient<Client extends object>(client: Client): Client {
  const wrap = ambient().transport
  const copyable = client as Copyable
  if (!wrap || !copyable.withOptions) return client
  const inner = typeof copyable.fetch === "function" ? (copyable.fetch as typeof globalThis.fetch) : globalThis.fetch
  return copyable.withOptions({ fetch: wrap(inner) }) as Client
}

/**
 * What a vendor's SDK threw, as an `AgentScopeError` where it is a failure of the provider; else as it is. Of the credentials
 * in `target` none is in the message.
 */
export function clientError(error: unknown, label: string, target: Pick<Target, "headers"> = { headers: [] }): unknown {
  if (AgentScopeError.is(error)) return error
  const { status, headers, error: body, name, message } = error as ClientError
  if (typeof status === "number") {
    const known = headers instanceof Headers ? Object.fromEntries(headers) : {}
    const text = body === undefined ? (message ?? "") : JSON.stringify({ error: body })
    return httpError({ label, status, headers: known, body: withoutSecrets(text, target) })
  }
  if (name === "APIConnectionTimeoutError" || /timed out/i.test(message ?? "")) {
    return modelError({ code: "timeout", message: `${label} did not answer in the client's time.`, cause: error })
  }
  return error
}
