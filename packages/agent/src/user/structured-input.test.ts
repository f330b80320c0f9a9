import type { JsonSchema } from "@agentscope-ts/message"
import { validatorOf } from "@agentscope-ts/model"
import { expect, test } from "vitest"
import { askStructured } from "./structured-input.ts"

/** Answers in order; gives the value and the questions. */
async function ask(schema: JsonSchema, ...answers: string[]) {
  const questions: string[] = []
  const value = await askStructured("Bob", schema, validatorOf(schema), async (question) => {
    questions.push(question)
    const answer = answers.shift()
    if (answer === undefined) throw new Error("asked too often")
    return answer
  })
  return { value, questions }
}

test("an object is asked for property by property, with what helps to answer", async () => {
  const { value, questions } = await ask(
    {
      type: "object",
      properties: {
        city: { type: "string", description: "where to" },
        days: { type: "integer" },
        mood: { enum: ["good", "bad"] },
        tags: { type: "array", items: { type: "string" } },
        note: { type: "string" },
      },
      required: ["city", "days", "mood"],
    },
    "Rome",
    "3",
    "good",
    '["a"]',
    "",
  )
  expect(value).toEqual({ city: "Rome", days: 3, mood: "good", tags: ["a"] })
  expect(questions).toEqual([
    "Bob: city (where to): ",
    "days (integer): ",
    "mood (good | bad): ",
    "tags (array; Enter to skip): ",
    "note (Enter to skip): ",
  ])
})

test("what does not fit is said, and asked again", async () => {
  const schema = { type: "object", properties: { days: { type: "integer" } }, required: ["days"] }
  const { value, questions } = await ask(schema, "three", "3")
  expect(value).toEqual({ days: 3 })
  expect(questions[1]).toMatch(/^days: .*\nBob: days \(integer\): $/)
})

test("a text that looks like a number is a text where a text is wanted, and may be empty", async () => {
  const schema = {
    type: "object",
    properties: { zip: { type: "string" }, name: { type: "string" } },
    required: ["zip", "name"],
  }
  expect((await ask(schema, "80331", "")).value).toEqual({ zip: "80331", name: "" })
})

test("anything else is asked for as JSON", async () => {
  expect((await ask({ type: "array", items: { type: "number" } }, "[1, 2]")).value).toEqual([1, 2])
  expect((await ask({ type: "string" }, "plain words")).value).toBe("plain words")
  expect((await ask({ enum: ["yes", "no"] }, "maybe", "yes")).value).toBe("yes")
})
