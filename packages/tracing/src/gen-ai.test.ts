import { existsSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { describe, expect, test } from "vitest"
import { agentScope, genAi } from "./index.ts"

const corpus = process.env["AGENTSCOPE_CORPUS"] ?? resolve(import.meta.dirname, "../../../../shared")
const file = resolve(corpus, "genai-semconv.json")
if (!existsSync(file)) console.log("skipped: the table of the GenAI conventions is not there (AGENTSCOPE_CORPUS)")

describe.skipIf(!existsSync(file))("against the table of the conventions", () => {
  interface Table {
    main: { attributes: Record<string, { deprecated?: unknown }> }
    differences: { attributesOnlyInReleased: string[] }
  }
  const table = () => JSON.parse(readFileSync(file, "utf8")) as Table

  test("every attribute is one of the current conventions, and none is deprecated", () => {
    const { main, differences } = table()
    const general = ["error.type", "server.address", "server.port"]
    for (const name of Object.values(genAi)) {
      if (general.includes(name)) continue
      expect(main.attributes).toHaveProperty([name])
      expect(main.attributes[name]).not.toHaveProperty("deprecated")
      expect(differences.attributesOnlyInReleased).not.toContain(name)
    }
  })

  test("none of the conventions' own is missing", () => {
    const ours: readonly string[] = Object.values(genAi)
    const theirs = Object.keys(table().main.attributes).filter((name) => !name.startsWith("aws."))
    expect(theirs.filter((name) => !ours.includes(name))).toEqual([])
  })
})

test("names are unique, and each is named after what it holds", () => {
  const names = [...Object.values(genAi), ...Object.values(agentScope)]
  expect(new Set(names).size).toBe(names.length)
  for (const [key, name] of Object.entries(genAi)) {
    const camel = name.replace(/^gen_ai\./, "").replace(/[._](\w)/g, (_, char: string) => char.toUpperCase())
    expect(key).toBe(camel)
  }
})
