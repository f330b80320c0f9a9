import type { DatabasePart } from "@agentscope-ts/state/sqlite"

/** The tables of memories. */
export const memories: DatabasePart = {
  name: "memories",
  migrations: [
    // `owner` in the index stands for the user: a search reads the postings of one user alone
    `CREATE TABLE agentscope_memories (
    key INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE NOT NULL,
    user_id TEXT NOT NULL, agent_id TEXT NOT NULL, session_id TEXT NOT NULL,
    digest TEXT NOT NULL, content TEXT NOT NULL, metadata TEXT NOT NULL, created_at TEXT NOT NULL,
    touched INTEGER NOT NULL, embedder TEXT, vector BLOB,
    UNIQUE (user_id, agent_id, session_id, digest)
  );
  CREATE INDEX agentscope_memories_age ON agentscope_memories (user_id, touched, key);
  CREATE INDEX agentscope_memories_embedder ON agentscope_memories (user_id, embedder, key);
  CREATE VIRTUAL TABLE agentscope_memory_index USING fts5 (
    owner, content, content='', contentless_delete=1, tokenize='porter ascii'
  )`,
  ],
  keeper: "SqliteLongTermMemory",
  packageName: "@agentscope-ts/memory",
}

/** A Node built-in, loaded in the call that needs it; `undefined` where there is none. */
const nodeBuiltin = (name: string): unknown => globalThis.process?.getBuiltinModule?.(name)

/** The path as it is at this moment, whatever the working directory is later. */
export function absolutePath(path: string): string {
  const paths = nodeBuiltin("node:path") as typeof import("node:path") | undefined
  return path === ":memory:" ? path : (paths?.resolve(path) ?? path)
}

/** A text of fixed length that stands for this one. */
export function digestOf(text: string): string {
  const crypto = nodeBuiltin("node:crypto") as typeof import("node:crypto")
  return crypto.createHash("sha256").update(text).digest("hex")
}
