import { ambient } from "@agentscope-ts/message"
import { type AuthRequestContext, isLoopback } from "./auth-request.ts"
import { type McpAuthRecord, type McpAuthStore, memoryAuthStore } from "./auth-store.ts"
import type { Challenge } from "./challenge.ts"
import type { McpAuth } from "./mcp-auth.ts"
import { readRecord } from "./read-record.ts"
import { SharedWork } from "./shared-work.ts"

/** Why a token is not good enough. */
export interface TokenNeed {
  /** The token that was refused; undefined where none was sent. */
  readonly refused: string | undefined
  readonly status: 401 | 403
  readonly challenge: Challenge
  /** Whether a refreshed token was refused already. */
  readonly anew: boolean
}

/** How a token was come by: `found` in the store or got by somebody else meanwhile. */
export type TokenSource = "found" | "refresh" | "login"

/** What one `auth` knows about one MCP server: the tokens in force, and the one login under way. */
export class AuthSession {
  readonly auth: McpAuth
  readonly serverUrl: URL
  readonly store: McpAuthStore
  /** Where the metadata was found that led to the authorization server; undefined until it was found once. */
  found: Pick<Challenge, "resourceMetadata"> | undefined
  readonly #key: string
  readonly #work = new SharedWork<TokenSource>()
  #record: McpAuthRecord | undefined
  #loaded = false

  constructor(auth: McpAuth, serverUrl: URL) {
    this.auth = auth
    this.serverUrl = serverUrl
    this.store = auth.store ?? memoryAuthStore()
    this.#key = serverUrl.href
  }

  pending(): Promise<void> | undefined {
    return this.#work.pending()
  }

  /** The token to send: one that has run out is refreshed first, where it is known how. */
  async token(fetch: typeof globalThis.fetch, signal: AbortSignal | undefined): Promise<string | undefined> {
    if (!this.#loaded) await this.load()
    const tokens = this.#record?.tokens
    if (
      tokens?.refreshToken !== undefined &&
      this.found !== undefined &&
      (tokens.expiresAt ?? Infinity) <= ambient().now()
    ) {
      await this.renew({ refused: tokens.accessToken, status: 401, challenge: {}, anew: false }, fetch, signal)
    }
    return this.#record?.tokens?.accessToken
  }

  /** Gets a better token, together with all who want one at the same time. */
  renew(need: TokenNeed, fetch: typeof globalThis.fetch, signal: AbortSignal | undefined): Promise<TokenSource> {
    const current = this.#record?.tokens?.accessToken
    if (current !== undefined && current !== need.refused) return Promise.resolve("found")
    const work = async (workSignal: AbortSignal) => {
      const context: AuthRequestContext = { fetch, signal: workSignal, loopback: isLoopback(this.serverUrl) }
      const { renewToken } = await import("./renew-token.ts")
      return renewToken(this, need, context)
    }
    return this.#work.join(work, signal)
  }

  /** What is stored, read anew: another program may have changed it. */
  async load(): Promise<McpAuthRecord | undefined> {
    const record = readRecord(await this.store.load(this.#key))
    this.#loaded = true
    return (this.#record = record)
  }

  async save(record: McpAuthRecord): Promise<void> {
    this.#record = record
    await this.store.save(this.#key, record)
  }
}
