/** A message as mem0 takes it. */
export interface Mem0Message {
  readonly role: "user" | "assistant"
  readonly content: string
}

/** A memory as mem0 answers it: the library and the service name some parts differently. */
export interface Mem0Item {
  readonly id?: unknown
  readonly memory?: unknown
  readonly score?: unknown
  readonly createdAt?: unknown
  readonly created_at?: unknown
  readonly metadata?: unknown
  readonly user_id?: unknown
  readonly userId?: unknown
}

/** What a long-term memory needs of mem0, in one scope. */
export interface Mem0Store {
  /** What was kept of the messages; `undefined` when mem0 works that out later. `infer: false`: the messages as they are. */
  add(messages: readonly Mem0Message[], infer: boolean): Promise<readonly Mem0Item[] | undefined>
  search(query: string, limit: number): Promise<readonly Mem0Item[]>
  close(): void
}

/** The list in an answer of mem0, which is the answer or its `results`. */
export function itemsOf(answer: unknown): readonly Mem0Item[] | undefined {
  const list: unknown = Array.isArray(answer) ? answer : (answer as { results?: unknown } | null)?.results
  return Array.isArray(list) ? list.filter((item) => typeof item === "object" && item !== null) : undefined
}
