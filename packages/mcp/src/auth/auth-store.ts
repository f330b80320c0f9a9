/** The client as one authorization server knows it: registered by hand, by itself, or by the address of its metadata. */
export interface McpAuthClient {
  readonly clientId: string
  readonly clientSecret?: string
  /** What the server asked for at registration: `client_secret_basic`, `client_secret_post`, `none` … */
  readonly authMethod?: string
  /** The redirect addresses it was registered with; another one needs a new registration. */
  readonly redirectUris?: readonly string[]
  /** When the secret ends, in milliseconds since 1970. Absent: never. */
  readonly expiresAt?: number
}

/** Tokens of one MCP server. */
export interface McpAuthTokens {
  readonly accessToken: string
  readonly refreshToken?: string
  /** When the access token ends, in milliseconds since 1970. Absent: the server did not say. */
  readonly expiresAt?: number
  /** The scopes that were asked for, separated by spaces. */
  readonly requestedScope?: string
  /** The scopes that were granted, where the server said. */
  readonly grantedScope?: string
}

/** What is kept of one MCP server: plain JSON, and secret. `issuer` is the authorization server that all of it belongs to. */
export interface McpAuthRecord {
  readonly issuer: string
  readonly client?: McpAuthClient
  readonly tokens?: McpAuthTokens
}

/**
 * Where clients and tokens are kept between runs. `key` is the address of the MCP server. What it holds are secrets: encrypt
 * it, or use the keychain. One store serves one user. Without its record the next program
 * signs in anew. A store that throws makes the request fail.
 */
export interface McpAuthStore {
  load(key: string): Promise<McpAuthRecord | undefined>
  save(key: string, record: McpAuthRecord): Promise<void>
}

/** Keeps everything in memory, until the program ends. */
export function memoryAuthStore(): McpAuthStore {
  const records = new Map<string, McpAuthRecord>()
  return {
    load: async (key) => records.get(key),
    save: async (key, record) => void records.set(key, record),
  }
}
