import { importMessages, type Msg } from "@agentscope-ts/message"

/** A formatter vector of the corpus: Python's messages and what Python's formatter made of them. */
export interface Vector {
  readonly name: string
  readonly formatter: "chat" | "multiagent"
  readonly options?: Readonly<Record<string, unknown>>
  readonly messages: readonly Readonly<Record<string, unknown>>[]
  readonly expected: unknown
  readonly files?: Readonly<Record<string, string>>
}

/** The messages of a vector as Python tells them, results in system messages, and as ours are, results in tool messages. */
export function historiesOf({ messages }: Vector): readonly [asTold: readonly Msg[], asOurs: readonly Msg[]] {
  const told = importMessages(messages.map((raw, i) => ({ id: `m${i}`, timestamp: "2026-12-01 00:00:00.000", ...raw })))
  const asTold = told.map((msg) => (msg.role === "tool" ? { ...msg, role: "system" as const } : msg))
  const asOurs = told.map((msg) =>
    msg.content.some(({ type }) => type === "tool_result") ? { ...msg, role: "tool" as const } : msg,
  )
  return [asTold, asOurs]
}

const snake =
  /^(thought_signature|function_call|function_response|inline_data|file_data|mime_type|file_uri|display_name)$/
const camel = (key: string): string => key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

/**
 * A wire form to compare: arguments in JSON text are parsed, since blanks differ between languages; Gemini's keys are those of
 * REST; a null of Python's is an absent field, as the Python SDK sends it.
 */
export function comparableWire(value: unknown, gemini: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => comparableWire(item, gemini))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]): [string, unknown][] => {
      if (item === undefined || (gemini && item === null)) return []
      if (key === "arguments" && typeof item === "string") return [[key, JSON.parse(item) as unknown]]
      return [[gemini && snake.test(key) ? camel(key) : key, comparableWire(item, gemini)]]
    }),
  )
}

/** Constructor options by their names here. */
export const camelOptions = (options: Readonly<Record<string, unknown>> = {}): Record<string, unknown> =>
  Object.fromEntries(Object.entries(options).map(([key, value]) => [camel(key), value]))
