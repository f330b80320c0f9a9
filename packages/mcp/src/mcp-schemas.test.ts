import { type JsonObject, type JsonSchema, type JsonValue, textOf } from "@agentscope-ts/message"
import { validatorOf } from "@agentscope-ts/model"
import { Toolkit } from "@agentscope-ts/tool"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { describe, expect, test } from "vitest"
import { rawStdioServer } from "./fixtures/raw-stdio-server.ts"
import { StdioMcpClient } from "./stdio-mcp-client.ts"
import type { McpToolDefinition } from "./tools/tool-definition.ts"

/** Where the schemas of real servers lie: `AGENTSCOPE_CORPUS`, or `shared` beside the repository. */
const corpus = resolve(
  process.env["AGENTSCOPE_CORPUS"] ?? resolve(import.meta.dirname, "../../../../shared"),
  "mcp-schemas",
)
const hasCorpus = existsSync(corpus)
if (!hasCorpus) console.info(`mcp: no corpus at ${corpus} (AGENTSCOPE_CORPUS): its schemas are not served`)
const files = hasCorpus ? readdirSync(corpus).filter((file) => /^(?!index).*\.json$/.test(file)) : []

interface Listed {
  readonly name: string
  readonly description?: string
  readonly inputSchema: JsonSchema
  readonly outputSchema?: JsonSchema
  readonly annotations?: JsonObject
}

const toolsOf = (file: string): readonly Listed[] =>
  (JSON.parse(readFileSync(resolve(corpus, file), "utf8")) as { tools: readonly Listed[] }).tools

/** A server that lists what a file holds, ten tools a page, and answers with the arguments. */
const serve = (file: string): StdioMcpClient =>
  new StdioMcpClient({
    name: file.replace(".json", ""),
    ...rawStdioServer(`
      const all = JSON.parse(require("node:fs").readFileSync(${JSON.stringify(resolve(corpus, file))}, "utf8")).tools
      methods["tools/list"] = ({ cursor = "0" }) => {
        const from = Number(cursor)
        return { tools: all.slice(from, from + 10), ...(from + 10 < all.length && { nextCursor: String(from + 10) }) }
      }
      methods["tools/call"] = ({ name, arguments: input }) => text(JSON.stringify(input))`),
  })

/** What is listed, as the server said it. */
function saidBy({ name, description, inputSchema, outputSchema, annotations }: McpToolDefinition): Listed {
  return {
    name,
    ...(description !== undefined && { description }),
    inputSchema,
    ...(outputSchema && { outputSchema }),
    ...(annotations && { annotations: annotations as JsonObject }),
  }
}

describe.skipIf(!hasCorpus)("tools of real servers", () => {
  test("there are those of eleven servers", () => expect(files).toHaveLength(11))

  test.each(files)("of %s come back deeply equal, register, and hold arguments to their schemas", async (file) => {
    await using client = serve(file)
    const expected = toolsOf(file)
    const tools = await client.listTools()
    const plain = expected.map(
      ({ name, description, inputSchema, outputSchema, annotations }) =>
        JSON.parse(JSON.stringify({ name, description, inputSchema, outputSchema, annotations })) as Listed,
    )
    expect(tools.map(({ mcp }) => saidBy(mcp))).toEqual(plain)
    const toolkit = new Toolkit()
    await toolkit.register(client)
    expect(toolkit.schemas()).toEqual(
      plain.map(({ name, description = "", inputSchema }) => ({ name, description, parameters: inputSchema })),
    )
    for (const { name, inputSchema } of expected) {
      const validate = validatorOf(inputSchema)
      for (const input of [{}, ...inputsFor(inputSchema)]) {
        const { state, output, metadata } = await toolkit.execute({ type: "tool_use", id: "1", name, input }).result
        if (validate(input).ok) {
          expect([name, input, state]).toEqual([name, input, "success"])
          expect(JSON.parse(textOf({ content: output }))).toEqual(input)
        } else {
          expect([name, input, state]).toEqual([name, input, "error"])
          expect(metadata).toMatchObject({ error: { code: "invalid_input" } })
        }
      }
    }
  })
})

/** Inputs near a schema: what fits its required properties, and the same with one wrong. */
function inputsFor(schema: JsonSchema): readonly JsonObject[] {
  const fit = sample(schema, schema, 0) as JsonObject
  const wrong = Object.keys(schema.properties ?? {}).flatMap((key) => [
    { ...fit, [key]: { unexpected: ["value"] } },
    { ...fit, [key]: 12.5 },
    { ...fit, [key]: "…" },
  ])
  return [fit, ...wrong, { ...fit, "no such property": 1 }]
}

function sample(schema: unknown, root: JsonSchema, depth: number): JsonValue {
  if (typeof schema !== "object" || schema === null || depth > 20) return "x"
  const {
    type,
    properties,
    required = [],
    items,
    prefixItems,
    $ref,
    anyOf,
    oneOf,
    allOf,
    minItems,
    ...rest
  } = schema as JsonSchema & Record<string, unknown>
  if (typeof $ref === "string") {
    const target = $ref
      .split("/")
      .slice(1)
      .reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], root)
    return sample(target, root, depth + 1)
  }
  if ("const" in rest) return rest.const as JsonValue
  if (Array.isArray(rest.enum)) return rest.enum[0] as JsonValue
  const composed = (anyOf ?? oneOf ?? allOf) as readonly JsonSchema[] | undefined
  if (composed && type === undefined && !properties) {
    if (!allOf) return sample(composed[0], root, depth + 1)
    return Object.assign({}, ...composed.map((part) => sample(part, root, depth + 1))) as JsonValue
  }
  switch (Array.isArray(type) ? (type as readonly string[])[0] : (type ?? (properties ? "object" : "string"))) {
    case "object":
      return Object.fromEntries(required.map((key) => [key, sample(properties?.[key], root, depth + 1)]))
    case "array": {
      const tuple = (prefixItems ?? (Array.isArray(items) ? items : undefined)) as readonly unknown[] | undefined
      if (tuple) return tuple.map((item) => sample(item, root, depth + 1))
      return Array.from({ length: Number(minItems ?? 0) }, () => sample(items, root, depth + 1))
    }
    case "integer":
    case "number":
      return Number(rest["minimum"] ?? Number(rest["exclusiveMinimum"] ?? 0) + 1)
    case "boolean":
      return true
    case "null":
      return null
    default:
      return rest["format"] === "uri" ? "https://example.com/" : "x".repeat(Number(rest["minLength"] ?? 1))
  }
}
