import { hasCorpus, mcpTools, readCorpus } from "@agentscope-ts/fixtures"
import { grammarSchema, validatorOf } from "@agentscope-ts/model"
import { describe, expect, it } from "vitest"
import { anthropicDialect, anthropicSchema } from "./index.ts"

type Json = Record<string, unknown>
interface Rules {
  readonly toolName: string
  readonly toolCallId: { readonly pattern: string }
  readonly root: string
  readonly rootForbidden: readonly string[]
  readonly propertyKey: string
}

/** The names of all properties that a schema describes. */
function keysIn(schema: unknown, found: string[] = []): readonly string[] {
  if (typeof schema !== "object" || schema === null) return found
  for (const [key, value] of Object.entries(schema)) {
    if (["enum", "const", "default", "examples"].includes(key)) continue
    if (key === "properties") found.push(...Object.keys(value as Json))
    const isTable = ["properties", "$defs", "definitions"].includes(key)
    for (const part of isTable ? Object.values(value as Json) : [value as unknown]) keysIn(part, found)
  }
  return found
}

describe.skipIf(!hasCorpus)("the tools of the corpus", () => {
  const rules = hasCorpus ? (readCorpus("vectors/dialects.json") as { anthropic: Rules }).anthropic : undefined

  it("come out as the rules demand, and the original stays as it was", () => {
    expect(mcpTools().length).toBeGreaterThan(200)
    for (const [name, inputSchema] of mcpTools()) {
      const before = JSON.stringify(inputSchema)
      const schema = anthropicSchema(inputSchema)
      expect(JSON.stringify(inputSchema), name).toBe(before)
      expect(schema.type, name).toBe(rules?.root)
      for (const word of rules?.rootForbidden ?? []) expect(schema, name).not.toHaveProperty(word)
      const key = new RegExp(rules?.propertyKey ?? "")
      expect(
        keysIn(schema).filter((name) => !key.test(name)),
        name,
      ).toEqual([])
      // it can be interpreted, its references included
      expect(validatorOf(schema)(null).ok, name).toBe(false)
    }
  })

  it("are named as the dialect says", () => {
    expect(anthropicDialect.toolName?.source).toBe(rules?.toolName)
    expect(anthropicDialect.toolCallId?.pattern?.source).toBe(rules?.toolCallId.pattern)
  })

  it("are held to by a grammar in the main, and never with a bound that it does not know", () => {
    const held = mcpTools().map(([, inputSchema]) => grammarSchema(anthropicSchema(inputSchema)))
    expect(held.filter((schema) => schema !== undefined).length).toBeGreaterThan(150)
    expect(JSON.stringify(held)).not.toMatch(/"(?:m(?:in|ax)(?:imum|Items|Length)|multipleOf)":\d/)
  })
})
