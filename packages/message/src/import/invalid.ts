import { AgentScopeError, type MessageErrorCode } from "../error.ts"

/** What cannot be imported, naming its place. */
export function invalid(where: string, problem: string): AgentScopeError<MessageErrorCode> {
  return new AgentScopeError({ code: "invalid_message", message: `importMessages: ${where} ${problem}` })
}
