import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runMemoryConformance } from "@agentscope-ts/testing"
import { extractingModel } from "./fixtures/extracting-model.ts"
import { HashEmbeddings } from "./fixtures/hash-embeddings.ts"
import { mem0Home } from "./fixtures/mem0-home.ts"
import { Mem0LongTermMemory, type Mem0Options } from "./index.ts"

mem0Home()

/** A memory in a folder of its own, made of its options. */
const inFolder = (optionsIn: (dir: string) => Omit<Mem0Options, "scope">) => () => {
  const dir = mkdtempSync(join(tmpdir(), "mem0-"))
  return {
    open: (scope: Mem0Options["scope"]) =>
      new Mem0LongTermMemory({
        scope,
        model: extractingModel(["user", "assistant"]),
        embeddings: new HashEmbeddings(),
        ...optionsIn(dir),
      }),
    remove: () => rmSync(dir, { recursive: true }),
  }
}

runMemoryConformance({
  name: "Mem0LongTermMemory with models of ours",
  createLongTerm: inFolder((dir) => ({ path: join(dir, "memory.db") })),
})

runMemoryConformance({
  name: "Mem0LongTermMemory with a configuration of mem0's",
  // parts of it are taken by what is given one by one
  createLongTerm: inFolder((dir) => ({
    config: {
      vectorStore: { provider: "memory", config: { collectionName: "mine", dbPath: join(dir, "vectors.db") } },
      disableHistory: true,
    },
  })),
})
