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

describe("checkOptions", () => {
  const options = (more: object) => () => checkOptions({ model: "m", ...more }, ["vertex"], "XChatModel")
  const refused = (message: string) =>
    expect.objectContaining({ code: "invalid_request", message: expect.stringContaining(message) as string })

  it("takes what the types say, and what a subclass has more", () => {
    const fetch = () => Promise.resolve(new Response())
    const all = {
      apiKey: "k",
      baseURL: "https://x",
      headers: { a: "b", c: undefined },
      fetch,
      client: new URL("https://x"),
    }
    const numbers = { maxRetries: 0, maxReasks: 0, timeoutMs: 1, contextWindow: 1 }
    const facts = { inputs: ["text"], price: { inputPerMTok: 1, outputPerMTok: 2 } }
    expect(options({ ...all, ...numbers, params: {}, facts, price: facts.price, formatter: "chat" })).not.toThrow()
    expect(options({ facts: { "house-model": { contextWindow: 1 } } })).not.toThrow()
    expect(options({ vertex: { project: "p" }, region: "eu", apiKey: undefined, headers: undefined })).not.toThrow()
    // filled in by a subclass, under a name of its own
    expect(options({ endpoint: "https://x", baseURL: "https://x/v1" })).not.toThrow()
  })

  it.each<[object, string]>([
    [{ temperature: 0 }, 'no option "temperature": it belongs in params: { temperature: 0 }.'],
    [{ max_tokens: 5 }, "it belongs in params: { maxTokens: 5 }."],
    [{ reasoning: "low" }, 'params: { reasoning: "low" }.'],
    [{ topP: 1 }, "params: { topP: 1 }."],
    [{ tools: [] }, "model.generate({ messages, tools })"],
    [{ toolChoice: "auto" }, "model.generate({ messages, toolChoice })"],
    [{ messages: [] }, "model.generate({ messages })"],
    [{ stream: true }, "model.stream({ messages })"],
    [{ system: "Be brief." }, "systemMsg(…)"],
    [{ baseUrl: "https://x" }, 'did you mean "baseURL"?'],
    [{ baseUrl: "https://x", baseURL: "https://default" }, 'did you mean "baseURL"?'],
    [{ base_url: "https://x", baseURL: "https://default" }, 'did you mean "baseURL"?'],
    [{ APIKey: "k", apiKey: "default" }, 'did you mean "apiKey"?'],
    [{ Vertex: {} }, 'did you mean "vertex"?'],
    [{ endpoint: "https://x" }, 'did you mean "baseURL"?'],
    [{ timeout: 5 }, 'did you mean "timeoutMs"?'],
    [{ apiKey: 5 }, "apiKey is of another type (number) and has to be a text"],
    [{ baseURL: new URL("https://x") }, "baseURL is a URL and has to be a text"],
    [{ headers: new Headers() }, "headers is an instance of Headers and has to be a plain object"],
    [{ headers: { a: 1 } }, "headers is of another type"],
    [{ fetch: "no" }, 'fetch is "no" and has to be a function'],
    [{ timeoutMs: 0 }, "timeoutMs is 0 and has to be a number of milliseconds above 0"],
    [{ timeoutMs: "5" }, 'timeoutMs is "5"'],
    [{ maxRetries: -1 }, "maxRetries is -1 and has to be an integer of 0 or more"],
    [{ maxRetries: 1.5 }, "maxRetries is 1.5"],
    [{ params: "hot" }, 'params is "hot"'],
    [{ facts: { contextWindw: 5 } }, 'Did you mean "contextWindow"?'],
    [{ facts: { contextWindow: "1M" } }, 'facts: contextWindow is "1M" and has to be an integer above 0'],
    [{ facts: { tools: true, input: ["text"] } }, 'facts has no "input"'],
    [{ facts: { inputs: ["picture"] } }, "a list of text, image, audio, video, file"],
    [{ facts: 5 }, "facts takes an object"],
    [{ price: { inputPerMTok: 1 } }, "price needs inputPerMTok and outputPerMTok"],
    [{ price: { input: 1, output: 2 } }, 'price has no "input"'],
    [{ model: " " }, "needs the name of a model"],
  ])("refuses %j: %s", (more, message) => {
    expect(options(more)).toThrow(refused(message))
  })

  it.each([undefined, null, "gpt-5", ["gpt-5"]])("says of %j what a model needs", (given) => {
    expect(() => checkOptions(given as never, [], "XChatModel")).toThrow(refused('new XChatModel({ model: "…" })'))
  })

  it("does not repeat a key that is none", () => {
    expect(options({ apiKey: { value: "sk-secret" } })).toThrow(/^(?!.*sk-secret)/)
    expect(options({ headers: [["authorization", "sk-secret"]] })).toThrow(/^(?!.*sk-secret)/)
  })
})
