import { AgentScopeError } from "@agentscope-ts/message"
import { expect, it } from "vitest"
import { problemText } from "./problem.ts"

it("an error is told with what to do about it, and without escape sequences", () => {
  const error = new AgentScopeError({ code: "authentication", message: "Bad\u001b[2J key." })
  expect(problemText(error)).toBe("Bad key.\nCheck the key: it may be mistyped, revoked, or for another endpoint.")
  expect(problemText(new RangeError("Odd."))).toBe("Odd.")
  expect(problemText("plain")).toBe("plain")
})
