import { describe, expect, it } from "vitest"
import { checkOptions, checkParams } from "./check-options.ts"

const own = ["topK", "parallelToolCalls", "extraBody", "cache"]
const check = (params: object) => () => checkParams(params, own, "XChatModel")

describe("checkParams", () => {
  it("takes what the types say, and what is not given", () => {
    const params = {
      temperature: 0,
      topP: 1,
      maxTokens: 1,
      stop: ["\n", "END"],
      seed: -3,
      reasoning: { budgetTokens: 1024 },
      topK: 40,
      parallelToolCalls: false,
      extraBody: { x: null },
      cache: "as the provider has it",
    }
    expect(check(params)).not.toThrow()
    expect(check(Object.fromEntries(Object.keys(params).map((name) => [name, undefined])))).not.toThrow()
    for (const reasoning of ["off", "low", "medium", "high"]) expect(check({ reasoning })).not.toThrow()
    expect(check({ stop: [], temperature: 2 })).not.toThrow()
    expect(() => checkParams(undefined, own, "XChatModel")).not.toThrow()
  })

  it.each<[string, unknown, string]>([
    ["temperature", Number.NaN, "NaN"],
    ["temperature", "0.5", '"0.5"'],
    ["temperature", Number.POSITIVE_INFINITY, "Infinity"],
    ["temperature", null, "null"],
    ["temperature", -1, "-1"],
    ["topP", 90, "90"],
    ["maxTokens", 0, "0"],
    ["maxTokens", 1.5, "1.5"],
    ["maxTokens", "100", '"100"'],
    ["stop", "END", '"END"'],
    ["stop", ["END", ""], '["END",""]'],
    ["stop", [1], "[1]"],
    ["seed", 1.5, "1.5"],
    ["reasoning", "minimal", '"minimal"'],
    ["reasoning", true, "true"],
    ["reasoning", { budgetTokens: 0 }, '{"budgetTokens":0}'],
    ["reasoning", { budgetTokens: "1000" }, '{"budgetTokens":"1000"}'],
    ["reasoning", {}, "{}"],
    ["topK", 1.5, "1.5"],
    ["parallelToolCalls", "no", '"no"'],
    ["extraBody", [1], "[1]"],
    ["extraBody", () => 1, "a function"],
  ])("refuses %s %j, and says which and why", (name, value, shown) => {
    const message = expect.stringContaining(`XChatModel: params.${name} is ${shown} and has to be `) as string
    expect(check({ [name]: value })).toThrow(expect.objectContaining({ code: "invalid_request", message }))
  })

  it("refuses a param that nobody knows, and says which one was meant", () => {
    expect(check({ temprature: 1 })).toThrow(/no param "temprature".*temperature.*extraBody/)
  })
})

it("checkOptions refuses a misspelt option and a missing model", () => {
  expect(() => checkOptions({ model: "m", apikey: "k" } as never, [], "XChatModel")).toThrow(/did you mean "apiKey"/)
  expect(() => checkOptions({} as never, [], "XChatModel")).toThrow(/needs the name of a model/)
})
