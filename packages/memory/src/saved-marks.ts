import type { JsonObject, JsonValue } from "@agentscope-ts/message"
import { memoryError } from "./error.ts"

type Marks = [id: string, marks: readonly string[]][]

const isList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string")

/**
 * The marks in the state of a memory, by message id.
 * @throws AgentScopeError `invalid_state` for what are none.
 */
export function savedMarks({ content, marks }: JsonObject): Marks {
  if (marks === undefined) return pythonMarks(content)
  const entries = typeof marks === "object" && marks !== null ? Object.entries(marks) : [["", marks]]
  if (!Array.isArray(marks) && entries.every(([, each]) => isList(each))) return entries as [string, string[]][]
  throw memoryError("invalid_state", 'State key "marks" must be an object of lists of texts, by the ids of messages.')
}

/** AgentScope Python saves `[message, marks]`. */
function pythonMarks(content: JsonValue | undefined): Marks {
  if (!Array.isArray(content)) return []
  return content.flatMap((item): Marks => {
    const [msg, marks] = Array.isArray(item) ? (item as JsonValue[]) : []
    const id = (msg as JsonObject | null | undefined)?.["id"]
    return typeof id === "string" && isList(marks) ? [[id, marks]] : []
  })
}
