import { expectTypeOf, test } from "vitest"
import {
  type AgentEvent,
  type AgentEventOf,
  AgentScopeError,
  assistantMsg,
  blocksOf,
  type FinishReason,
  type JsonValue,
  type Msg,
  type Reply,
  type TextBlock,
  userMsg,
} from "./index.ts"

test("a reply that completed has its structured value, the others do not", () => {
  const reply = {} as Reply<{ city: string }>
  // @ts-expect-error not before the reply is known to be completed
  void (reply.structured satisfies { city: string })
  if (reply.finishReason === "completed") expectTypeOf(reply.structured).toEqualTypeOf<{ city: string }>()
  else {
    expectTypeOf(reply.finishReason).toEqualTypeOf<Exclude<FinishReason, "completed" | "error">>()
    expectTypeOf(reply.structured).toEqualTypeOf<{ city: string } | undefined>()
  }
  expectTypeOf(reply).toExtend<Msg>()
  const plain = {} as Reply
  if (plain.finishReason === "completed") expectTypeOf(plain.structured).toEqualTypeOf<undefined>()
})

test("events narrow by their tag, and every one says whose it is", () => {
  const event = {} as AgentEvent
  expectTypeOf(event.replyId).toEqualTypeOf<string>()
  if (event.type === "text_delta") expectTypeOf(event.msgId).toEqualTypeOf<string>()
  expectTypeOf<AgentEventOf<"tool_progress">["data"]>().toEqualTypeOf<JsonValue>()
})

test("messages are readonly, and a role's factory takes that role's blocks", () => {
  const msg = userMsg("a")
  // @ts-expect-error readonly
  msg.name = "b"
  // @ts-expect-error readonly
  msg.content.push({ type: "text", text: "a" })
  // @ts-expect-error a person calls no tools
  userMsg([{ type: "tool_use", id: "c", name: "t", input: {} }])
  // @ts-expect-error results stand in tool messages
  assistantMsg([{ type: "tool_result", id: "c", name: "t", output: [], state: "success" }])
  expectTypeOf(blocksOf(msg, "text")).toEqualTypeOf<readonly TextBlock[]>()
})

test("an error narrows to the code asked for", () => {
  const error = {} as unknown
  if (AgentScopeError.is(error, "rate_limited")) expectTypeOf(error.code).toEqualTypeOf<"rate_limited">()
  else if (AgentScopeError.is(error)) expectTypeOf(error.code).toEqualTypeOf<string>()
})
