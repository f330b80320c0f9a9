import { loadMem0 } from "./load-mem0.ts"
import type { Mem0Options } from "./mem0-options.ts"
import type { Mem0Ids } from "./mem0-scope.ts"
import { itemsOf, type Mem0Message, type Mem0Store } from "./mem0-store.ts"

interface HostedClient {
  add(messages: readonly Mem0Message[], options: Mem0Ids & { readonly infer: boolean }): Promise<unknown>
  search(query: string, options: { readonly filters: object; readonly topK: number }): Promise<unknown>
}
interface Hosted {
  readonly MemoryClient: new (options: { apiKey: string; host?: string }) => HostedClient
}

/** Opens the hosted service, which takes facts out by and by. @throws AgentScopeError `missing_dependency`. */
export async function openHosted({ apiKey = "", host }: Mem0Options, ids: Mem0Ids): Promise<Mem0Store> {
  const { MemoryClient } = await loadMem0<Hosted>(() => import("mem0ai"), "mem0ai")
  const client = new MemoryClient({ apiKey, ...(host !== undefined && { host: host.replace(/\/+$/, "") }) })
  const { userId, agentId, runId } = ids
  const filters = Object.fromEntries(
    Object.entries({ user_id: userId, agent_id: agentId, run_id: runId }).filter(([, id]) => id !== undefined),
  )
  return {
    async add(messages, infer) {
      const items = itemsOf(await client.add(messages, { ...ids, infer }))
      return items?.every(({ memory }) => typeof memory === "string") ? items : undefined
    },
    search: async (query, topK) => itemsOf(await client.search(query, { filters, topK })) ?? [],
    close: () => {},
  }
}
