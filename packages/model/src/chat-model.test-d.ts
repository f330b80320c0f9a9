import type { Msg } from "@agentscope-ts/message"
import { expectTypeOf, test } from "vitest"
import { z } from "zod"
import type { CallSink, ChatModel, ChatParams, ChatRequest, ChatResponse, ChatStream } from "./index.ts"

interface AcmeParams extends ChatParams {
  turbo?: boolean | undefined
}
declare const model: ChatModel<AcmeParams>
declare const messages: readonly Msg[]

test("the schema of a request is the type of `structured`", () => {
  const zod = model.generate({ messages, schema: z.object({ n: z.string().transform(Number) }) })
  expectTypeOf(zod).resolves.toEqualTypeOf<ChatResponse<{ n: number }>>()
  const literal = model.stream({
    messages,
    schema: { type: "object", properties: { mood: { enum: ["good", "bad"] } }, required: ["mood"] },
  })
  expectTypeOf(literal).toEqualTypeOf<ChatStream<{ mood: "good" | "bad" }>>()
  expectTypeOf(model.generate({ messages })).resolves.toEqualTypeOf<ChatResponse>()
})

test("the provider's own params are known, others are not", () => {
  void model.generate({ messages, params: { turbo: true, temperature: 0 } })
  // @ts-expect-error no such param
  void model.generate({ messages, params: { warp: true } })
})

test("a model with params of its own is a ChatModel", () => {
  expectTypeOf(model).toExtend<ChatModel>()
})

test("send is what a provider writes, and nobody calls", () => {
  // @ts-expect-error protected
  void model.send({ messages }, {} as CallSink)
  expectTypeOf<ChatRequest["messages"]>().toEqualTypeOf<readonly Msg[]>()
})
