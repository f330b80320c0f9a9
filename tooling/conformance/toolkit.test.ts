import { corpusFiles, hasCorpus, readCorpus } from "@agentscope-ts/fixtures"
import { type JsonObject, type JsonSchema, textOf, type ToolResultBlock, userMsg } from "@agentscope-ts/message"
import { validatorOf, withRetry } from "@agentscope-ts/model"
import { OpenAIChatModel } from "@agentscope-ts/model-openai"
import { startReplayServer } from "@agentscope-ts/testing"
import { type AnyTool, Toolkit, tool, toolMethod, toolsOf } from "@agentscope-ts/tool"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { sampleValue } from "./sample-value.ts"
import { sentTools } from "./sent-tools.ts"

interface RecordedTool {
  readonly name: string
  readonly description?: string
  readonly inputSchema: JsonSchema
}

const servers = corpusFiles("mcp-schemas")
  .filter((file) => file !== "index.json")
  .map((file) => ({ file, ...(readCorpus(`mcp-schemas/${file}`) as { readonly tools: readonly RecordedTool[] }) }))

/** The ways in which a program can register what a server lists. */
const ways: readonly (readonly [string, (toolkit: Toolkit, tools: readonly RecordedTool[]) => void | Promise<void>])[] =
  [
    [
      "as schemas",
      (toolkit, tools) =>
        toolkit.registerSchema(tools.map(({ inputSchema, ...rest }) => ({ ...rest, parameters: inputSchema }))),
    ],
    [
      "made with tool()",
      (toolkit, tools) => {
        for (const { name, description = "No words", inputSchema } of tools)
          toolkit.register(
            tool({
              name,
              description,
              input: inputSchema,
              execute: (input) => JSON.stringify(input),
            }) as AnyTool as never,
          )
      },
    ],
    [
      "as objects, by a source",
      (toolkit, tools) =>
        toolkit.register({
          name: "server",
          listTools: async () =>
            tools.map(({ name, description = "No words", inputSchema: parameters }) => ({
              name,
              description,
              schema: { name, description, parameters },
              external: false,
              run: async (input: unknown) => JSON.stringify(input),
            })),
        }),
    ],
  ]

const execute = (toolkit: Toolkit, name: string, input: unknown): Promise<ToolResultBlock> =>
  toolkit.execute({ type: "tool_use", id: "call_1", name, input: input as JsonObject }).result

describe.skipIf(!hasCorpus).each(ways)("the tools of real MCP servers, %s", (way, register) => {
  it.each(servers.map(({ file, tools }) => [file, tools] as const))("%s", async (_, all) => {
    const unique = [...new Map(all.map((one) => [one.name, one])).values()]
    // who makes a tool is asked for a name that every provider takes
    const tools = way === "made with tool()" ? unique.filter(({ name }) => /^[\w-]{1,64}$/.test(name)) : unique
    const toolkit = new Toolkit()
    await register(toolkit, tools)
    expect(toolkit.schemas().map(({ name, parameters }) => [name, parameters])).toEqual(
      tools.map(({ name, inputSchema }) => [name, inputSchema]),
    )
    for (const { name, inputSchema } of tools) {
      const validate = validatorOf(inputSchema)
      for (const sample of [
        sampleValue(inputSchema, true),
        sampleValue(inputSchema, false),
        {},
        { unknown: [] },
        ...broken(inputSchema),
      ]) {
        const result = await execute(toolkit, name, structuredClone(sample))
        const fits = validate(structuredClone(sample)).ok
        expect(result.state === "error", `${name} ${JSON.stringify(sample)}: ${textOf(result)}`).toBe(!fits)
        if (!fits) expect(textOf(result)).toMatch(/^Invalid arguments for the tool/)
      }
    }
  })
})

/** A fitting value with one argument of a type that it cannot have. */
function broken(schema: JsonSchema): readonly JsonObject[] {
  const fitting = sampleValue(schema, true) as JsonObject
  return Object.keys(schema.properties ?? {}).map((name) => ({ ...fitting, [name]: [[{ none: 1 }]] }))
}

describe("strict", () => {
  it("goes from each way of making a tool to a provider that has it, with the schema in its form", async () => {
    class Weather {
      @toolMethod({
        description: "Temperature",
        strict: true,
        input: z.object({ city: z.string(), days: z.number().optional() }),
      })
      by_method() {
        return 21
      }
    }
    const input = z.object({ city: z.string(), days: z.number().optional() })
    const parameters = {
      type: "object",
      properties: { city: { type: "string" }, days: { type: "number" } },
      required: ["city"],
    } as const
    const base = { description: "A test", strict: true }
    const toolkit = new Toolkit({ tools: toolsOf(new Weather()) })
    toolkit.register(tool({ ...base, name: "by_zod", input, execute: () => "x" }))
    toolkit.register(tool({ ...base, name: "by_literal", input: parameters, execute: () => "x" }))
    toolkit.register(tool({ ...base, name: "external", input }))
    toolkit.register({ ...base, name: "plain", parameters, run: async () => "x" } as never)
    toolkit.registerSchema({ ...base, name: "by_schema", parameters })
    toolkit.register(tool({ ...base, name: "preset", input: input.extend({ key: z.string() }), execute: () => "x" }), {
      presetArgs: { key: "k" },
    })
    toolkit.register(tool({ name: "loose", description: "A test", input, execute: () => "x" }))

    await using server = await startReplayServer([])
    const model = new OpenAIChatModel({ model: "gpt-5-mini", baseURL: `${server.url}/v1`, apiKey: "test" })
    await withRetry(model, { maxRetries: 0 })
      .generate({ messages: [userMsg("hello")], tools: toolkit.schemas() })
      .catch(() => {}) // the server answers nothing: what counts is what it was asked
    const sent = sentTools(server.requests.at(-1)?.body)
    expect(sent.map(({ name, strict }) => [name, strict])).toEqual([
      ["by_method", true],
      ["by_zod", true],
      ["by_literal", true],
      ["external", true],
      ["plain", true],
      ["by_schema", true],
      ["preset", true],
      ["loose", false],
    ])
    for (const { name, strict, parameters: told } of sent) {
      if (!strict) continue
      expect(told, name).toMatchObject({ required: ["city", "days"], additionalProperties: false })
      expect(Object.keys((told as { properties: object }).properties), name).toEqual(["city", "days"])
    }
    // a null for what is optional is absent again where the tool runs
    expect((await execute(toolkit, "by_zod", { city: "Rome", days: null })).state).toBe("success")
  })
})
