import { AgentScopeError } from "@agentscope-ts/message"
import { httpError } from "@agentscope-ts/model/wire"
import { expect, it } from "vitest"
import { problemText } from "./problem.ts"

it("an error is told with what to do about it, and without escape sequences", () => {
  const error = new AgentScopeError({ code: "not_found", message: "No\u001b[2J such model." })
  expect(problemText(error)).toMatch(/^No such model\.\nThe endpoint may not know this model: .*--model NAME/)
  expect(problemText(new RangeError("Odd."))).toBe("Odd.")
  expect(problemText("plain")).toBe("plain")
})

it("a refused key is told by the variables that hold one, without advice on a program's options", () => {
  const error = httpError({ label: "https://api.test", status: 401, headers: {}, body: '{"error":"Bad key."}' })
  expect(error.message).toMatch(/apiKey option/)
  const told = "https://api.test answered 401: Bad key.\nCheck the key in "
  const why = ": it may be mistyped, revoked, or for another endpoint."
  expect(problemText(error, { GROQ_API_KEY: "k" })).toBe(`${told}GROQ_API_KEY${why}`)
  expect(problemText(error, { GROQ_API_KEY: "k", OPENAI_API_KEY: "k" })).toBe(
    `${told}OPENAI_API_KEY or GROQ_API_KEY${why}`,
  )
  expect(problemText(error, {})).toContain("ANTHROPIC_API_KEY or GEMINI_API_KEY")
})
