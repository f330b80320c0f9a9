import type { McpAuthRecord } from "./auth-store.ts"

/** A record as a store gave it, or nothing where it is none: whatever was kept is then asked for again. */
export function readRecord(value: unknown): McpAuthRecord | undefined {
  if (!isObject(value) || typeof value["issuer"] !== "string") return undefined
  const { issuer, client, tokens } = value
  return {
    issuer,
    ...(isObject(client) && typeof client["clientId"] === "string" && { client: client as never }),
    ...(isObject(tokens) && usable(tokens["accessToken"]) && { tokens: tokens as never }),
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

const usable = (token: unknown) => typeof token === "string" && /^[\x21-\x7e]+$/.test(token)
