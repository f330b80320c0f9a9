import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runMemoryConformance } from "@agentscope-ts/testing"
import { WordEmbeddings } from "./fixtures/word-embeddings.ts"
import {
  InMemoryMemory,
  OfflineEmbeddingModel,
  SqliteLongTermMemory,
  type SqliteLongTermMemoryOptions,
} from "./index.ts"

runMemoryConformance({ name: "InMemoryMemory", create: () => new InMemoryMemory() })

const kinds: Record<string, Partial<SqliteLongTermMemoryOptions>> = {
  "words alone": {},
  "words and vectors": { embeddings: new WordEmbeddings() },
  "words and offline vectors": { embeddings: new OfflineEmbeddingModel() },
}
for (const [kind, options] of Object.entries(kinds)) {
  runMemoryConformance({
    name: `SqliteLongTermMemory with ${kind}`,
    createLongTerm: () => {
      const dir = mkdtempSync(join(tmpdir(), "memories-"))
      return {
        open: (scope) => new SqliteLongTermMemory({ path: join(dir, "memory.db"), scope, ...options }),
        remove: () => rmSync(dir, { recursive: true }),
      }
    },
  })
}
