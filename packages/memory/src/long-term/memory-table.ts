import { isoNow, ambient, type JsonObject, newId } from "@agentscope-ts/message"
import { type Database, transaction } from "@agentscope-ts/state/sqlite"
import type { MemoryEntry } from "./long-term-memory.ts"
import { digestOf } from "./memory-database.ts"
import type { Scope } from "./memory-scope.ts"
import { indexText, searchTerms } from "./search-terms.ts"
import { similarity, vectorBytes } from "./vector.ts"

/** Something to keep. `vector` is absent without a model for vectors, and where it could not read the text. */
export interface NewMemory {
  readonly content: string
  readonly metadata: JsonObject
  readonly vector?: Float32Array | undefined
  /** The model that was asked for a vector; absent where none was. */
  readonly embedder?: string | undefined
}

/** An entry of which there is no vector by the present model. */
export interface Unembedded {
  readonly key: number
  readonly content: string
}

/** What a page of entries comes to. */
export interface Near {
  readonly found: readonly { readonly key: number; readonly near: number }[]
  readonly last: number | undefined
}

/** How many each search gives, at least: what is second in both may be the best. */
export const candidates = 50
const page = 500

/** Texts that differ only in case, spaces and the final stop are one. */
export const digest = (content: string): string =>
  digestOf(
    content
      .normalize("NFKC")
      .toLowerCase()
      .replaceAll(/\s+/g, " ")
      .trim()
      .replace(/[.。!！]+$/, ""),
  )

/** The rows of one scope in a database. Every statement names the scope: no caller can leave it out. */
export class MemoryTable {
  readonly #database: Database
  readonly #scope: Scope
  readonly #owner: string
  readonly #inScope: string
  readonly #scopeValues: readonly string[]

  constructor(database: Database, scope: Scope) {
    this.#database = database
    this.#scope = scope
    this.#owner = `u${digestOf(scope.userId).slice(0, 32)}`
    const { userId, agentId, sessionId } = scope
    const narrow = [
      ["m.agent_id", agentId],
      ["m.session_id", sessionId],
    ].filter(([, value]) => value !== "")
    this.#inScope = ["m.user_id = ?", ...narrow.map(([column]) => `${column} = ?`)].join(" AND ")
    this.#scopeValues = [userId, ...narrow.map(([, value]) => value as string)]
  }

  /** Those of the texts that are not kept yet, each once. */
  unknown<T extends { readonly content: string }>(items: readonly T[]): readonly T[] {
    const { userId, agentId, sessionId } = this.#scope
    const find = this.#database.prepare(
      "SELECT 1 FROM agentscope_memories WHERE user_id = ? AND agent_id = ? AND session_id = ? AND digest = ?",
    )
    const seen = new Set<string>()
    return items.filter(({ content }) => {
      const hash = digest(content)
      if (seen.has(hash)) return false
      seen.add(hash)
      return find.get(userId, agentId, sessionId, hash) === undefined
    })
  }

  /** Keeps all of them, or none. What is known already counts as new; of one user the `most` newest stay. */
  insert(items: readonly NewMemory[], most: number): void {
    const { userId, agentId, sessionId } = this.#scope
    transaction(this.#database, () => {
      const touch = this.#database.prepare(
        "UPDATE agentscope_memories SET touched = ? WHERE user_id = ? AND agent_id = ? AND session_id = ? AND digest = ?",
      )
      const add = this.#database.prepare(
        `INSERT INTO agentscope_memories
          (id, user_id, agent_id, session_id, digest, content, metadata, created_at, touched, embedder, vector)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      const index = this.#database.prepare(
        "INSERT INTO agentscope_memory_index (rowid, owner, content) VALUES (?, ?, ?)",
      )
      const newest = this.#database.prepare("SELECT max(touched) AS at FROM agentscope_memories WHERE user_id = ?")
      // what is kept in the same millisecond, or after the clock was put back, is newer all the same
      let now = Math.max(ambient().now() - 1, Number(newest.get(userId)?.["at"] ?? 0))
      for (const { content, metadata, vector, embedder } of items) {
        now++
        const hash = digest(content)
        if (Number(touch.run(now, userId, agentId, sessionId, hash).changes) > 0) continue
        const bytes = vector === undefined ? null : vectorBytes(vector)
        const { lastInsertRowid } = add.run(
          newId(),
          userId,
          agentId,
          sessionId,
          hash,
          content,
          JSON.stringify(metadata),
          isoNow(),
          now,
          embedder ?? null,
          bytes,
        )
        index.run(lastInsertRowid, this.#owner, indexText(content))
      }
      this.#forgetOldest(most)
    })
  }

  #forgetOldest(most: number): void {
    const { userId } = this.#scope
    const count = this.#database.prepare("SELECT count(*) AS n FROM agentscope_memories WHERE user_id = ?").get(userId)
    const surplus = Number(count?.["n"]) - most
    if (surplus <= 0) return
    const oldest = this.#database.prepare(
      "SELECT key FROM agentscope_memories WHERE user_id = ? ORDER BY touched, key LIMIT ?",
    )
    this.#remove(oldest.all(userId, surplus).map((row) => row["key"] as number))
  }

  #remove(keys: readonly number[]): void {
    const row = this.#database.prepare("DELETE FROM agentscope_memories WHERE key = ?")
    const index = this.#database.prepare("DELETE FROM agentscope_memory_index WHERE rowid = ?")
    for (const key of keys) {
      row.run(key)
      index.run(key)
    }
  }

  /** Forgets entries of the scope, those with these ids or all; answers how many. */
  delete(ids?: readonly string[]): number {
    return transaction(this.#database, () => {
      const all = `SELECT m.key FROM agentscope_memories m WHERE ${this.#inScope}`
      const one = this.#database.prepare(`${all} AND m.id = ?`)
      const rows =
        ids?.flatMap((id) => one.all(...this.#scopeValues, id)) ?? this.#database.prepare(all).all(...this.#scopeValues)
      const keys = new Set(rows.map((row) => row["key"] as number))
      this.#remove([...keys])
      return keys.size
    })
  }

  /** The keys of what has the words of the text, best first. */
  withWords(text: string, limit: number): readonly number[] {
    const terms = searchTerms(text)
    if (terms.length === 0) return []
    // terms are letters and digits alone
    const match = `owner : "${this.#owner}" AND content : (${terms.map((term) => `"${term}"`).join(" OR ")})`
    const rows = this.#database
      .prepare(
        `SELECT m.key FROM agentscope_memory_index JOIN agentscope_memories m ON m.key = agentscope_memory_index.rowid
          WHERE agentscope_memory_index MATCH ? AND ${this.#inScope}
          ORDER BY bm25(agentscope_memory_index, 0, 1), m.key DESC LIMIT ${Math.max(limit, candidates)}`,
      )
      .all(match, ...this.#scopeValues)
    return rows.map((row) => row["key"] as number)
  }

  /** How near to the vector a page of entries is, and the last key of it where there may be more. */
  nearest(vector: Float32Array, embedder: string, after: number): Near {
    const rows = this.#database
      .prepare(
        `SELECT m.key, m.vector FROM agentscope_memories m
          WHERE ${this.#inScope} AND m.embedder = ? AND m.key > ? AND m.vector IS NOT NULL ORDER BY m.key LIMIT ${page}`,
      )
      .all(...this.#scopeValues, embedder, after)
    const found = rows.map(({ key, vector: bytes }) => ({
      key: key as number,
      near: similarity(vector, bytes as Uint8Array),
    }))
    return {
      found: found.filter(({ near }) => near > 0),
      last: rows.length < page ? undefined : (rows.at(-1)?.["key"] as number),
    }
  }

  /** Some of what has no vector by this model: recorded without one, or with another model's. */
  unembedded(embedder: string, most: number): readonly Unembedded[] {
    const rows = this.#database
      .prepare(
        `SELECT m.key, m.content FROM agentscope_memories m
          WHERE ${this.#inScope} AND m.embedder IS NOT ? ORDER BY m.key DESC LIMIT ?`,
      )
      .all(...this.#scopeValues, embedder, most)
    return rows.map((row) => ({ key: row["key"] as number, content: row["content"] as string }))
  }

  /** Puts vectors to entries. */
  embed(items: readonly Unembedded[], vectors: readonly (Float32Array | undefined)[], embedder: string): void {
    transaction(this.#database, () => {
      const update = this.#database.prepare("UPDATE agentscope_memories SET embedder = ?, vector = ? WHERE key = ?")
      for (const [i, { key }] of items.entries()) {
        const vector = vectors[i]
        update.run(embedder, vector === undefined ? null : vectorBytes(vector), key)
      }
    })
  }

  /** The entries of these keys, in their order, with their scores; those that are gone are left out. */
  entries(found: readonly { key: number; score: number }[]): readonly MemoryEntry[] {
    const select = this.#database.prepare(
      `SELECT m.id, m.content, m.created_at, m.metadata FROM agentscope_memories m WHERE ${this.#inScope} AND m.key = ?`,
    )
    return found.flatMap(({ key, score }) => {
      const row = select.get(...this.#scopeValues, key)
      if (row === undefined) return []
      const metadata = JSON.parse(row["metadata"] as string) as JsonObject
      return [
        {
          id: row["id"] as string,
          content: row["content"] as string,
          score,
          createdAt: row["created_at"] as string,
          metadata,
        },
      ]
    })
  }
}
