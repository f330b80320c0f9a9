import { AgentScopeError } from "@agentscope-ts/message"
import { expect, it } from "vitest"
import { problemText } from "./problem.ts"

it("an error is told with what to do about it, and without escape sequences", () => {
  const error = new AgentScopeError({
    code: "authentication",
    message:
      "Bad\u001b[2J key. (check the API key: the apiKey option or its variable, and that it belongs to this baseURL)",
  })
  expect(problemText(error)).toBe(
    "Bad key.\nCheck the key in OPENAI_API_KEY or DEEPSEEK_API_KEY: it may be mistyped, revoked, or for another endpoint.",
  )
  expect(problemText(new RangeError("Odd."))).toBe("Odd.")
  expect(problemText("plain")).toBe("plain")
})
