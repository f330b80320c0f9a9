import { corpusFiles, hasCorpus, readCorpus } from "@agentscope-ts/fixtures"
import { type JsonSchema, userMsg } from "@agentscope-ts/message"
import { type ToolSchema, validatorOf, withRetry } from "@agentscope-ts/model"
import { startReplayServer } from "@agentscope-ts/testing"
import { describe, expect, it } from "vitest"
import { providers } from "./providers.ts"
import { sampleValue } from "./sample-value.ts"
import { type SchemaRules, schemaProblems } from "./schema-rules.ts"
import { sentTools } from "./sent-tools.ts"

interface RecordedTool {
  readonly name: string
  readonly description?: string
  readonly inputSchema: JsonSchema
}

const files = corpusFiles("mcp-schemas").filter((file) => file !== "index.json")
const toolsOf = (file: string) =>
  (readCorpus(`mcp-schemas/${file}`) as { readonly tools: readonly RecordedTool[] }).tools
const allTools = files.flatMap((file) => toolsOf(file).map((tool) => ({ file, ...tool })))
const allRules = hasCorpus ? (readCorpus("vectors/dialects.json") as Readonly<Record<string, SchemaRules>>) : {}

function rulesOf(name: string): SchemaRules {
  const rules = allRules[name] ?? {}
  return rules.sameAs ? { ...allRules[rules.sameAs], ...rules } : rules
}

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null)
    for (const inner of Object.values(Object.freeze(value))) frozen(inner)
  return value
}

describe.skipIf(!hasCorpus)("the tools of real MCP servers", () => {
  it("are all there", () => {
    const { tools } = readCorpus("mcp-schemas/index.json") as { readonly tools: number }
    expect(allTools.length).toBeGreaterThanOrEqual(tools)
  })

  describe.each(providers.map((provider) => [provider.name, provider] as const))("for %s", (_, provider) => {
    const rules = rulesOf(provider.rules)

    it.skipIf(!provider.toolSchema)("have parameters that it takes", () => {
      const problems = allTools.flatMap(({ file, name, inputSchema }) => {
        const schema = provider.toolSchema?.(frozen(structuredClone(inputSchema)))
        if (schema === undefined) return []
        return schemaProblems(rules, schema, provider.strict === true).map((problem) => `${file} ${name} ${problem}`)
      })
      expect(problems).toEqual([])
    })

    it("go out under names and with parameters that it takes, strict or not", async () => {
      await using server = await startReplayServer([])
      const model = provider.create({ url: server.url, fetch: globalThis.fetch, live: true })
      const problems: string[] = []
      for (const [i, { file, name, description, inputSchema }] of allTools.entries()) {
        const schema: ToolSchema = {
          name,
          parameters: frozen(structuredClone(inputSchema)),
          strict: i % 2 === 0,
          ...(description && { description }),
        }
        const error: unknown = await withRetry(model, { maxRetries: 0 })
          .generate({ messages: [userMsg("hello")], tools: [schema] })
          .catch((error: unknown) => error)
        // the server answers nothing: what counts is what it was asked
        expect(error, `${file} ${name}`).toMatchObject({ code: "not_found" })
        const sent = sentTools(server.requests.at(-1)?.body)
        const [tool] = sent
        if (sent.length !== 1 || tool === undefined) problems.push(`${file} ${name}: ${sent.length} tools were sent`)
        else {
          if (rules.toolName && rules.toolName.startsWith("^") && !new RegExp(rules.toolName).test(tool.name))
            problems.push(`${file} ${name}: sent as "${tool.name}"`)
          // no parameters at all are none
          if (tool.parameters !== undefined)
            problems.push(
              ...schemaProblems(rules, tool.parameters, tool.strict).map((problem) => `${file} ${name} ${problem}`),
            )
        }
      }
      expect(problems).toEqual([])
    })
  })

  it("keep the validation of their own schema, whatever was sent", () => {
    let checked = 0
    for (const { file, name, inputSchema } of allTools) {
      const before = JSON.stringify(inputSchema)
      const validate = validatorOf(inputSchema)
      const samples = [
        sampleValue(inputSchema, true),
        sampleValue(inputSchema, false),
        {},
        { unknown: 1 },
        [],
        "text",
        null,
      ]
      const verdicts = samples.map((sample) => validate(structuredClone(sample)).ok)
      for (const { toolSchema } of providers) toolSchema?.(inputSchema)
      expect(JSON.stringify(inputSchema), `${file} ${name}`).toBe(before)
      const anew = validatorOf(structuredClone(inputSchema))
      expect(
        samples.map((sample) => validate(structuredClone(sample)).ok),
        `${file} ${name}`,
      ).toEqual(verdicts)
      expect(
        samples.map((sample) => anew(structuredClone(sample)).ok),
        `${file} ${name}`,
      ).toEqual(verdicts)
      if (verdicts[0] && verdicts[1]) checked++
    }
    // a few hard cases accept nothing that is made so simply
    expect(checked / allTools.length).toBeGreaterThan(0.95)
  })
})

describe("the checker of schemas", () => {
  const gemini: SchemaRules = {
    root: "object",
    allowed: ["type", "properties", "required", "enum", "format"],
    enum: "strings only",
    type: "a single type name",
    formats: { string: ["date-time"] },
  }
  it.each([
    [{ type: "string" }, "#: the type is string"],
    [{ type: "object", properties: { $ref: { type: "object", $ref: "#" } } }, "#/properties/$ref: keyword $ref"],
    [
      { type: "object", properties: { a: { type: "string", enum: [1] } } },
      "#/properties/a: an enum value that is no string",
    ],
    [{ type: "object", properties: { a: { type: ["string", "null"] } } }, '#/properties/a: type ["string","null"]'],
    [
      { type: "object", properties: { a: { type: "string", format: "uri" } } },
      '#/properties/a: format "uri" of "string"',
    ],
    [{ type: "object", properties: {}, required: ["a"] }, '#: required "a" is no property'],
  ])("finds what is wrong in %j", (schema, problem) => {
    expect(schemaProblems(gemini, schema, false)).toContain(problem)
  })

  it("finds nothing wrong with properties that are named like keywords", () => {
    expect(
      schemaProblems(
        gemini,
        { type: "object", properties: { $ref: { type: "string" }, not: { type: "string" } } },
        false,
      ),
    ).toEqual([])
  })

  it("knows strict mode", () => {
    const strict = {
      forbidden: [],
      allowed: ["type", "properties", "required", "additionalProperties"],
      formats: [],
      maxDepth: 2,
      maxProperties: 2,
      maxEnumValues: 1,
    }
    const deep = {
      type: "object",
      properties: { a: { type: "object", properties: { b: { type: "object", default: 1 } } } },
    }
    expect(schemaProblems({ strict }, deep, true)).toEqual([
      "#: additionalProperties is not false",
      '#: "a" is not required',
      "#/properties/a: additionalProperties is not false",
      '#/properties/a: "b" is not required',
      "#/properties/a/properties/b: keyword default",
      "#/properties/a/properties/b: additionalProperties is not false",
    ])
    expect(schemaProblems({ strict }, deep, false)).toEqual([])
  })
})
