import { copyOf, type Msg } from "@agentscope-ts/message"
import { type ChatRequest, checkMessage } from "@agentscope-ts/model"
import { agentError } from "../agent-error.ts"
import { hookMessages } from "../base/agent-input.ts"
import { checkOption } from "../options.ts"

/** What the copies of messages and tools were made of. */
const originals = new WeakMap<object, object>()

/** A request that a hook may write into: messages and tools, which are many, are copied when the hook looks at them. */
function copyRequest(request: ChatRequest): ChatRequest {
  const { toolChoice, params } = request
  const copy = {
    ...request,
    ...(toolChoice && { toolChoice: copyOf(toolChoice) }),
    ...(params && { params: copyOf(params) }),
  }
  copyLazily(copy, "messages", request.messages)
  if (request.tools) copyLazily(copy, "tools", request.tools)
  return copy
}

function copyLazily(copy: ChatRequest, key: "messages" | "tools", list: readonly object[]): void {
  let value: readonly object[] | undefined
  Object.defineProperty(copy, key, {
    get: () => (value ??= list.map(copied)),
    set: (given: readonly object[]) => {
      value = given
    },
    enumerable: true,
    configurable: true,
  })
}

function copied(item: object): object {
  const copy = copyOf(item)
  originals.set(copy, item)
  return copy
}

/**
 * The request that a hook returned, with those messages and tools that it left as they were in the place of their copies: a
 * model knows by them what it has checked and encoded already.
 */
function takeRequest(request: ChatRequest): ChatRequest {
  const { messages, tools } = request
  hookMessages(messages)
  checkOption("the request", "tools", tools, Array.isArray(tools), "a list")
  const taken = { ...request, messages: messages.map(original) }
  return tools ? { ...taken, tools: tools.map(original) } : taken
}

function original<T extends object>(item: T): T {
  const of = originals.get(item) as T | undefined
  return of !== undefined && isSame(item, of) ? of : item
}

/** Whether plain data is the same all the way down. */
function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && isSame(a[key as never], b[key as never]))
}

/** What hooks around the reasoning get. */
export const reasoningCopies = {
  input: copyRequest,
  output: (message: Msg) => copyOf(message),
  // it enters memory, and would spoil every request to come
  take: (message: Msg) => {
    checkMessage(message, 0)
    if (message.role !== "assistant") {
      throw agentError("invalid_argument", `the message of an agent has the role "assistant", not "${message.role}".`)
    }
    return message
  },
}

/** What hooks before the reasoning get. */
export const requestCopies = { input: copyRequest, take: takeRequest }
