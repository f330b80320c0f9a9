import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runMemoryConformance } from "@agentscope-ts/testing"
import { extractingModel } from "./fixtures/extracting-model.ts"
import { HashEmbeddings } from "./fixtures/hash-embeddings.ts"
import { mem0Home } from "./fixtures/mem0-home.ts"
import { Mem0LongTermMemory } from "./index.ts"

mem0Home()

runMemoryConformance({
  name: "Mem0LongTermMemory with models of ours",
  createLongTerm: () => {
    const dir = mkdtempSync(join(tmpdir(), "mem0-"))
    return {
      open: (scope) =>
        new Mem0LongTermMemory({
          scope,
          model: extractingModel(["user", "assistant"]),
          embeddings: new HashEmbeddings(),
          path: join(dir, "memory.db"),
        }),
      remove: () => rmSync(dir, { recursive: true }),
    }
  },
})

runMemoryConformance({
  name: "Mem0LongTermMemory with a configuration of mem0's",
  createLongTerm: () => {
    const dir = mkdtempSync(join(tmpdir(), "mem0-"))
    return {
      open: (scope) =>
        new Mem0LongTermMemory({
          scope,
          // parts of it are taken by what is given one by one
          model: extractingModel(["user", "assistant"]),
          embeddings: new HashEmbeddings(),
          config: {
            vectorStore: { provider: "memory", config: { collectionName: "mine", dbPath: join(dir, "vectors.db") } },
            disableHistory: true,
          },
        }),
      remove: () => rmSync(dir, { recursive: true }),
    }
  },
})
