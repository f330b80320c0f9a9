import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { AgentScopeError, type JsonSchema } from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { tool, Toolkit, toolMethod, toolsOf, when } from "../index.ts"

/** What `tool()` says of a config as JavaScript would give it. */
function complaint(config: object): { code: string; message: string } {
  try {
    tool({ name: "weather", description: "Weather", input: {}, ...config })
  } catch (error) {
    if (AgentScopeError.is(error)) return error
    throw error
  }
  return { code: "none", message: "" }
}
const ofInput = (input: unknown) => complaint({ input })
const city = { type: "string" }

describe("a mistake in the input's schema", () => {
  test.each<[string, unknown, RegExp]>([
    ["a bare zod shape", { city: z.string() }, /"weather" is a bare shape.*wrap it in z\.object\(\{/],
    ["properties without an object", { city }, /without an object around.*type: "object", properties/],
    ["a type that does not exist", { type: "objekt" }, /"weather" has the type "objekt".*Did you mean "object"\?/],
    ["such a type further down", { type: "object", properties: { a: { type: "sting" } } }, /"a" in.*mean "string"/],
    ["one of several types", { type: "object", properties: { a: { type: ["string", "nul"] } } }, /"a".*"nul".*"null"/],
    ["a type that is no name", { type: "object", properties: { a: { type: String } } }, /"a" .*has the type/],
    [
      "a type in a list's items",
      { type: "object", properties: { a: { type: "array", items: { type: "int" } } } },
      /"a\.items".*"int"/,
    ],
    [
      "a type in one of several schemas",
      { type: "object", properties: { a: { anyOf: [{ type: "string" }, { type: "bool" }] } } },
      /"a\.anyOf\.1".*"bool"/,
    ],
    [
      "a required property that does not exist",
      { type: "object", properties: { city }, required: ["citty"] },
      /"city"\?/,
    ],
    ["required inside a property", { type: "object", properties: { city: { ...city, required: true } } }, /\["city"\]/],
    ["a misspelt keyword", { type: "object", propertys: { city } }, /"propertys".*Did you mean "properties"\?/],
    ["one further down", { type: "object", properties: { city: { ...city, max_length: 5 } } }, /"city".*"maxLength"/],
    ["a property that is no schema", { type: "object", properties: { city: "string" } }, /"city".*no schema/],
    ["zod inside JSON Schema", { type: "object", properties: { city: z.string() } }, /"city".*of one|"city".*with one/],
    ["properties that are a list", { type: "object", properties: ["city"] }, /properties that are no object/],
    ["no schema at all", undefined, /"weather" has no input.*z\.object\(\{\}\)/],
  ])("(%s) is told when the tool is made", (_, input, message) => {
    expect(ofInput(input)).toMatchObject({ code: "invalid_schema", message: expect.stringMatching(message) })
  })

  test("is told of a decorated method too", () => {
    class Weather {
      @toolMethod({
        description: "Weather",
        input: { type: "object", properties: { a: { type: "sting" as "string" } } },
      })
      weather() {
        return ""
      }
    }
    expect(() => toolsOf(new Weather())).toThrow(/"weather".*"string"/)
  })

  test.each<[string, unknown]>([
    ["keywords that nobody knows", { type: "object", properties: { a: { type: "string", "x-type": 1, hint: "b" } } }],
    ["words of OpenAPI", { type: "object", properties: { a: { type: "string", nullable: true, example: "b" } } }],
    ["properties named like keywords", { type: "object", properties: { propertys: city, type: city, require: city } }],
    [
      "required of a part",
      { type: "object", properties: { a: city }, anyOf: [{ required: ["a"] }, { required: ["b"] }] },
    ],
    ["a schema by reference", { type: "object", properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: city } }],
    ["schemas that are true and false", { type: "object", properties: { a: true }, additionalProperties: false }],
    ["values that look like schemas", { type: "object", properties: { a: { enum: [{ type: "sting" }] } } }],
  ])("is none: %s", (_, input) => {
    expect(ofInput(input).code).toBe("none")
  })

  test("in a schema of other people is passed on as it is", () => {
    const kit = new Toolkit()
    const parameters = { type: "object", properties: { a: { typ: "string" } }, required: ["b"] } as JsonSchema
    kit.registerSchema({ name: "foreign", description: "Foreign", parameters })
    expect(kit.schemas()[0]?.parameters).toEqual(parameters)
  })
})

describe("a mistake in the options", () => {
  test.each([
    ["handler", "execute"],
    ["run", "execute"],
    ["exectue", "execute"],
    ["parameters", "input"],
    ["inputSchema", "input"],
    ["timeout", "timeoutMs"],
    ["outputSchema", "output"],
    ["effect", "effects"],
  ])("(%s) is told, with the option that was meant (%s)", (given, meant) => {
    const { code, message } = complaint({ [given]: () => "" })
    expect(code).toBe("invalid_tool")
    expect(message).toBe(
      `The tool "weather" has the option "${given}": there is none of that name. Did you mean "${meant}"?`,
    )
  })

  test("that is near to nothing is told with all options; one that is undefined is none", () => {
    expect(complaint({ colour: 1 }).message).toMatch(/"colour".*They are name, description, input/)
    expect(complaint({ colour: undefined }).code).toBe("none")
  })

  test.each([undefined, "", "  ", 7])("(the description %j) is told", (description) => {
    expect(complaint({ description })).toMatchObject({
      code: "invalid_tool",
      message: expect.stringMatching(/"weather" has no description/),
    })
  })

  test("(an execute that is no function) is told", () => {
    expect(complaint({ execute: "ls" }).message).toMatch(/"weather" has an execute that is no function but string/)
  })
})

const corpus = process.env["AGENTSCOPE_CORPUS"] ?? fileURLToPath(new URL("../../../../../shared", import.meta.url))
const folder = join(corpus, "mcp-schemas")
if (!existsSync(folder)) console.log("The shared corpus is absent (AGENTSCOPE_CORPUS): tests over it are skipped.")

test.skipIf(!existsSync(folder))("the schemas of well-known MCP servers have no mistakes", () => {
  const files = readdirSync(folder).filter((file) => file.endsWith(".json") && file !== "index.json")
  const tools = files.flatMap((file) => {
    const read = JSON.parse(readFileSync(join(folder, file), "utf8")) as { tools: { inputSchema: JsonSchema }[] }
    return read.tools.map(({ inputSchema }) => inputSchema)
  })
  expect(tools.length).toBeGreaterThan(100)
  for (const input of tools) expect(ofInput(input)).toEqual({ code: "none", message: "" })
})

describe("something else in the place of a tool", () => {
  const client = { name: "github", listTools: async () => [] }
  test("a source of tools is told where it belongs", () => {
    for (const act of [
      () => new Toolkit({ tools: [client as never] }),
      () => new Toolkit({ groups: [{ name: "g", description: "d", tools: [client as never] }] }),
    ])
      expect(act).toThrow(/source of tools, such as an MCP client: put it in mcps .*, or register it/)
  })

  test("a group of the toolkit's own name is told to take another", () => {
    const act = () => new Toolkit({ groups: [{ name: "basic", description: "d" }] })
    expect(act).toThrow(/cannot be created\. Choose another name\./)
  })

  test("when() refuses a name, what is no tool, and a missing test", () => {
    for (const wrong of ["weather", undefined, null, 1, {}]) {
      const act = () => when(wrong as never, () => true)
      expect(act).toThrow(expect.objectContaining({ code: "invalid_rule" }))
      expect(act).toThrow("when(tool, test) takes the tool itself")
    }
    const weather = tool({ name: "weather", description: "Weather", input: {}, execute: () => "sunny" })
    expect(() => when(weather, undefined as never)).toThrow(/"weather" takes a function as its test/)
  })
})
