import * as anthropic from "@agentscope-ts/model-anthropic"
import * as dashscope from "@agentscope-ts/model-dashscope"
import * as gemini from "@agentscope-ts/model-gemini"
import * as mistral from "@agentscope-ts/model-mistral"
import * as ollama from "@agentscope-ts/model-ollama"
import * as openai from "@agentscope-ts/model-openai"
import { expect, test } from "vitest"

const classes = [anthropic, dashscope, gemini, mistral, ollama, openai].flatMap((exported) =>
  Object.entries(exported).filter(([name]) => /(?:Chat|Responses)Model$/.test(name)),
) as [string, new (options: unknown) => unknown][]
const odd = [undefined, null, {}, "gpt-5", { model: 5 }, { model: "" }, { model: "m", apiKey: "k", temperature: 0 }]

test("every provider's model is here", () => {
  expect(classes.map(([name]) => name)).toHaveLength(8)
})

test.each(classes)("%s says what is wrong with options that cannot be", (_, Model) => {
  for (const options of odd) {
    const what = JSON.stringify(options) ?? "no options"
    expect(() => new Model(options), what).toThrow(expect.objectContaining({ code: "invalid_request" }) as Error)
  }
})
