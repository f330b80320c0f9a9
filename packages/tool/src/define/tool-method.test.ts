import { textOf } from "@agentscope-ts/message"
import { expect, test } from "vitest"
import { z } from "zod"
import { resultOf, use } from "../fixtures/calls.ts"
import { type ToolContext, Toolkit, toolMethod, toolsOf } from "../index.ts"

const City = z.object({ city: z.string(), days: z.number().default(1) })

class Weather {
  readonly #celsius: number
  constructor(celsius: number) {
    this.#celsius = celsius
  }
  @toolMethod({ description: "Temperature in a city", input: City, strict: true, effects: "none" })
  temperature({ city, days }: z.infer<typeof City>, ctx: ToolContext) {
    return { city, days, celsius: this.#celsius, id: ctx.toolUseId }
  }
  @toolMethod({ name: "rain_in", description: "Rain", input: City })
  rain({ city }: z.infer<typeof City>) {
    return `no rain in ${city}`
  }
  plain() {
    return "no tool"
  }
  @toolMethod({ description: "A class's own tool", input: {} })
  static version() {
    return `v${typeof this}`
  }
}

test("decorated methods are the tools of each instance, with its own state", async () => {
  const [warm, cold] = [new Weather(21), new Weather(-3)]
  const [temperature, rain, ...others] = toolsOf(warm)
  expect(others).toEqual([])
  expect(temperature).toMatchObject({
    name: "temperature",
    strict: true,
    effects: "none",
    description: "Temperature in a city",
  })
  expect(rain?.name).toBe("rain_in")
  const result = await new Toolkit({ tools: toolsOf(cold) }).execute(use("temperature", { city: "Oslo" })).result
  expect(result.structured).toEqual({ city: "Oslo", days: 1, celsius: -3, id: "call_1" })
})

test("an instance has the same tools each time, so that rules recognise them", () => {
  const weather = new Weather(1)
  expect(toolsOf(weather)).toBe(toolsOf(weather))
})

test("an instance without decorated methods has no tools; a class has its static ones", async () => {
  expect(toolsOf({})).toEqual([])
  const [version] = toolsOf(Weather)
  expect(version && textOf(await resultOf(version))).toBe("vfunction")
})

test("a subclass inherits tools, overrides them with or without the decorator, and adds its own", async () => {
  class Forecast extends Weather {
    override temperature({ city }: z.infer<typeof City>) {
      return { city, days: 0, celsius: 99, id: "" }
    }
    @toolMethod({ name: "rain_soon", description: "Rain soon", input: City })
    override rain({ city }: z.infer<typeof City>) {
      return `soon in ${city}`
    }
    @toolMethod({ description: "Wind", input: {} })
    wind() {
      return "breeze"
    }
  }
  const kit = new Toolkit({ tools: toolsOf(new Forecast(5)) })
  expect(kit.schemas().map(({ name }) => name)).toEqual(["temperature", "rain_soon", "wind"])
  const result = await kit.execute(use("temperature", { city: "Oslo" })).result
  expect(result.structured).toMatchObject({ celsius: 99 })
})

test("a private method can be a tool, under its name without the #", async () => {
  class Vault {
    readonly #code = 7
    @toolMethod({ description: "Open", input: {} })
    #open() {
      return this.#code
    }
    peek() {
      return this.#open()
    }
  }
  const [open] = toolsOf(new Vault())
  expect(open?.name).toBe("open")
  expect(open && (await resultOf(open)).structured).toBe(7)
})

test("a symbol is no tool name", () => {
  const make = () => {
    class Odd {
      @toolMethod({ description: "A test", input: {} })
      [Symbol.iterator]() {
        return "x"
      }
    }
    return Odd
  }
  expect(make).toThrow(expect.objectContaining({ code: "invalid_tool" }))
})

test("static methods are inherited", () => {
  class Base {
    @toolMethod({ description: "A test", input: {} })
    static make() {
      return this.name
    }
    plain = 1
  }
  class Sub extends Base {}
  expect(toolsOf(Sub).map(({ name }) => name)).toEqual(["make"])
  expect(toolsOf(new Sub())).toEqual([])
})

test.each<[string, () => unknown, RegExp]>([
  ["legacy decorators", () => decorate({}, "run"), /compile without experimentalDecorators/],
  ["a field", () => decorate(undefined, { kind: "field", name: "run" }), /decorates a field/],
  ["no options", () => toolMethod(undefined as never), /takes an object/],
  ["without a call", () => toolMethod((() => {}) as never), /takes an object/],
  ["no instance", () => toolsOf(null as never), /not null/],
])("misused with %s, it says so", (_, attempt, message) => {
  expect(attempt).toThrow(message)
  expect(attempt).toThrow(expect.objectContaining({ code: expect.stringMatching(/^invalid_/) as string }))
})

const decorate = (target: unknown, context: unknown) =>
  toolMethod({ description: "A test", input: {} })(target as never, context as never)
