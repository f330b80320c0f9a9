import { didYouMean, nearestName } from "@agentscope-ts/message"
import { checkFacts, checkPrice } from "../check-facts.ts"
import { isObject, type Rule, rules, shownValue } from "../check-settings.ts"
import { modelError } from "../errors/model-error.ts"
import { checkParamValue, valuedParams } from "./check-param-value.ts"

/** The options that every provider's model takes, and what they have to be. */
const commonOptions: Readonly<Record<string, Rule | undefined>> = {
  model: undefined,
  apiKey: rules.text,
  baseURL: ['a text such as "https://host/v1"', (value) => typeof value === "string"],
  headers: [
    'a plain object of texts, such as { "x-team": "a" }',
    (value) =>
      isObject(value) &&
      !(value instanceof Headers) &&
      Object.values(value).every((text) => text === undefined || typeof text === "string"),
  ],
  fetch: rules.call,
  client: ["an instance of the vendor's SDK", isObject],
  maxRetries: rules.countOrNone,
  maxReasks: rules.countOrNone,
  formatter: undefined,
  params: ["an object such as { temperature: 0 }", isObject],
  contextWindow: rules.count,
  price: undefined,
  facts: undefined,
  timeoutMs: rules.milliseconds,
}
const commonNames = Object.keys(commonOptions)

/** The params that every provider understands. */
const commonParams = ["temperature", "topP", "maxTokens", "stop", "seed", "reasoning"]

const request = (name: string): string => `it is a part of each request: model.generate({ messages, ${name} })`
/** What is no option of a model, and where it belongs. */
const elsewhere: Readonly<Record<string, string>> = {
  messages: "it is a part of each request: model.generate({ messages })",
  tools: `${request("tools")}, or of an agent: new ReActAgent({ tools })`,
  toolChoice: request("toolChoice"),
  schema: request("schema"),
  responseFormat: `${request("schema")}, with a schema of zod or a JSON Schema`,
  signal: request("signal"),
  conversation: request("conversation"),
  stream: "a model has a method for each: model.stream({ messages }) and model.generate({ messages })",
  system: "it is the first message of a request, systemMsg(…), or an agent's systemPrompt",
  systemPrompt: "it is an agent's: new ReActAgent({ systemPrompt }); without one, the first message: systemMsg(…)",
  instructions: "it is the first message of a request, systemMsg(…), or an agent's systemPrompt",
}

/** What other libraries call the common options. */
const otherWords = new Map([
  ...["modelName", "modelId"].map((name) => [plain(name), "model"] as const),
  ...["endpoint", "url", "baseURI", "apiBase"].map((name) => [plain(name), "baseURL"] as const),
  ...["defaultHeaders", "extraHeaders"].map((name) => [plain(name), "headers"] as const),
  ["timeout", "timeoutMs"] as const,
  ["retries", "maxRetries"] as const,
])

/** Names that differ only by this are one to whoever mixes them up. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "")
}

/**
 * Finds what plain JavaScript, or a cast, lets through: a misspelt option would be ignored without a word. `own` are the
 * options of this provider beside the common ones; a subclass may have more, so that of other names only what looks misspelt
 * or belongs elsewhere is an error.
 */
export function checkOptions(options: { readonly model: string }, own: readonly string[], className: string): void {
  const given: unknown = options
  if (!isObject(given) || typeof given["model"] !== "string" || given["model"].trim() === "") {
    throw invalid(`${className} needs the name of a model: new ${className}({ model: "…" }).`)
  }
  for (const [name, value] of Object.entries(given)) {
    if (own.includes(name)) continue
    if (Object.hasOwn(commonOptions, name)) checkValue(name, value, className)
    else checkName(name, given, own, className)
  }
}

function checkValue(name: string, value: unknown, className: string): void {
  if (value === undefined) return
  if (name === "facts") return checkFacts(value, `${className}: facts`)
  if (name === "price") return checkPrice(value, `${className}: price`)
  const rule = commonOptions[name]
  if (rule === undefined || rule[1](value)) return
  // a key is not shown
  const secret = name === "apiKey" || name === "headers"
  const kind = value instanceof URL ? "a URL" : value instanceof Headers ? "an instance of Headers" : undefined
  const shown =
    kind ?? (secret ? `of another type (${Array.isArray(value) ? "a list" : typeof value})` : shownValue(value))
  throw invalid(`${className}: ${name} is ${shown} and has to be ${rule[0]}.`)
}

function checkName(
  name: string,
  given: Readonly<Record<string, unknown>>,
  own: readonly string[],
  className: string,
): void {
  const known = [...commonNames, ...own]
  const same = known.find((option) => plain(option) === plain(name))
  if (same !== undefined) throw invalid(`${className} has no option "${name}": did you mean "${same}"?`)
  const param = valuedParams.find((other) => plain(other) === plain(name))
  if (param !== undefined) {
    throw invalid(
      `${className} has no option "${name}": it belongs in params: { ${param}: ${shownValue(given[name])} }.`,
    )
  }
  const place = Object.keys(elsewhere).find((other) => plain(other) === plain(name))
  if (place !== undefined) throw invalid(`${className} has no option "${name}": ${elsewhere[place]}.`)
  const close = otherWords.get(plain(name)) ?? nearestName(name, known, { strict: true })
  if (close === undefined || given[close] !== undefined) return
  throw invalid(`${className} has no option "${name}": did you mean "${close}"?`)
}

/**
 * A setting that nobody knows is an error, for it would be lost, and so is a value that no endpoint can mean: some refuse it
 * in words of their own, others take it as something else. `own` are the params of this provider beside the common ones.
 */
export function checkParams(params: object | undefined, own: readonly string[], className: string): void {
  for (const [name, value] of Object.entries(params ?? {})) {
    if (commonParams.includes(name) || own.includes(name)) {
      checkParamValue(name, value, className)
      continue
    }
    const hint = own.includes("extraBody") ? " Fields of the endpoint's own go into params.extraBody." : ""
    throw invalid(`${className} has no param "${name}".${didYouMean(name, [...commonParams, ...own])}${hint}`)
  }
}

const invalid = (message: string): Error => modelError({ code: "invalid_request", message })
