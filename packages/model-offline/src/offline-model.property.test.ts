import { validatorOf } from "@agentscope-ts/model"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { codingTools, stringTool, talk, Workshop } from "./fixtures/workshop.ts"
import { OfflineChatModel } from "./index.ts"

const soak = process.env["AGENTSCOPE_SOAK"] !== undefined
const options = { numRuns: soak ? 5000 : 400, seed: 7 }
const model = new OfflineChatModel()

const word = fc.constantFrom(
  ...'list read search find write append replace run python compute count open show what which where how is are the a files file lines words folder in of to from for with and then it them each first second last one again stop help please can you TODO a.txt b.txt src README.md notes/ü.md *.ts 2+2 3*4 17 "hello world" \'x\' `ls -la` result save delete , ; . ? : \n ``` " ( ) 文件 😀'.split(
    " ",
  ),
)
const sentence = fc.oneof(
  { weight: 5, arbitrary: fc.array(word, { maxLength: 25 }).map((words) => words.join(" ")) },
  { weight: 1, arbitrary: fc.string({ maxLength: 200, unit: "binary" }) },
)
const state = fc.constantFrom("success", "error", "denied", "interrupted", "suspended")
const output = fc.oneof(
  fc.constantFrom(
    "",
    "a.txt\nb.txt\nsrc/x.ts",
    "1: one\n2: two",
    "391",
    "<returncode>1</returncode><stdout>x</stdout><stderr>y</stderr>",
  ),
  fc.string({ maxLength: 100 }),
)

/** The coding tools' schemas over results of any kind. */
const shopOf = (
  results: readonly { text: string; state: "success" | "error" | "denied" | "interrupted" | "suspended" }[],
): Workshop => {
  const shop = new Workshop()
  let at = 0
  for (const tool of codingTools({}).tools) shop.add(tool, () => results[at++ % results.length] ?? "")
  return shop.add(
    stringTool("get_weather", "Weather in a city", { city: { type: "string" }, days: { type: "integer" } }, ["city"]),
    () => "rain",
  )
}

describe("whatever is said", () => {
  it("it ends, throws nothing, and calls only tools that exist with arguments that fit", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(sentence, { minLength: 1, maxLength: 3 }),
        fc.array(fc.record({ text: output, state }), { minLength: 1, maxLength: 4 }),
        async (requests, results) => {
          const shop = shopOf(results)
          const history: Parameters<typeof talk>[3] = []
          for (const request of requests) {
            const { calls, text } = await talk(model, shop, request, history)
            expect(text).not.toBe("")
            expect(calls.length).toBeLessThanOrEqual(20)
            for (const { name, input } of calls) {
              const tool = shop.tools.find((known) => known.name === name)
              expect(tool).toBeDefined()
              if (tool)
                expect(validatorOf(tool.parameters)(input), `${name} ${JSON.stringify(input)}`).toMatchObject({
                  ok: true,
                })
            }
          }
        },
      ),
      options,
    )
  })

  it("a long text takes no long time", async () => {
    const started = performance.now()
    for (const text of [
      "read a.txt and ",
      "write “",
      "what which how many ",
      "in the folder ",
      "1+",
      "((",
      "a and b, ",
      "show all all ",
      "for the the ",
      "x:\n",
    ]) {
      await talk(model, codingTools({}), text.repeat(50_000 / text.length))
      await talk(model, codingTools({}), text.repeat(7000 / text.length))
    }
    expect(performance.now() - started).toBeLessThan(10_000)
  })
})
