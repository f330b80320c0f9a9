import type { ChatModel } from "@agentscope-ts/model"
import OpenAI, { AzureOpenAI } from "openai"
import { expectTypeOf, test } from "vitest"
import { z } from "zod"
import {
  DeepSeekChatModel,
  OpenAIChatFormatter,
  OpenAIChatModel,
  type OpenAIClient,
  type OpenAIOptions,
  OpenAIResponsesModel,
  type OpenAIResponsesParams,
  type OpenAIWireMessage,
} from "./index.ts"

test("options say what is wrong where it is written", () => {
  const options: OpenAIOptions = {
    model: "m",
    apiKey: "k",
    baseURL: undefined,
    params: { serviceTier: "flex", reasoning: { budgetTokens: 1 } },
  }
  void options
  // @ts-expect-error a misspelt option
  void ({ model: "m", apikey: "k" } satisfies OpenAIOptions)
  // @ts-expect-error a misspelt param
  void ({ model: "m", params: { max_tokens: 1 } } satisfies OpenAIOptions)
  // @ts-expect-error no model
  void ({ apiKey: "k" } satisfies OpenAIOptions)
  // @ts-expect-error no such formatter
  void ({ model: "m", formatter: "multiagent" } satisfies OpenAIOptions)
})

test("each API has params of its own", () => {
  void ({
    model: "m",
    params: { modalities: ["text", "audio"], audio: { voice: "alloy", format: "wav" } },
  } satisfies OpenAIOptions)
  void ({
    model: "m",
    params: { store: true, builtInTools: [{ type: "web_search" }], reasoningSummary: "auto" },
  } satisfies OpenAIOptions<OpenAIResponsesParams>)
  // @ts-expect-error a param of the other API
  void ({ model: "m", params: { store: true } } satisfies OpenAIOptions)
  // @ts-expect-error a param of the other API
  void ({ model: "m", params: { modalities: ["text"] } } satisfies OpenAIOptions<OpenAIResponsesParams>)
  expectTypeOf(OpenAIResponsesModel).constructorParameters.toExtend<[OpenAIOptions<OpenAIResponsesParams>]>()
})

test("the official clients fit as they are", () => {
  expectTypeOf<OpenAI>().toExtend<OpenAIClient>()
  expectTypeOf<AzureOpenAI>().toExtend<OpenAIClient>()
})

test("models are models, and structured answers are typed", () => {
  expectTypeOf<DeepSeekChatModel>().toExtend<OpenAIChatModel>()
  expectTypeOf<OpenAIChatModel>().toExtend<ChatModel<NonNullable<OpenAIOptions["params"]>>>()
  const ask = (model: OpenAIChatModel) => model.generate({ messages: [], schema: z.object({ n: z.number() }) })
  expectTypeOf<NonNullable<Awaited<ReturnType<typeof ask>>["structured"]>>().toEqualTypeOf<{ n: number }>()
  expectTypeOf(new OpenAIChatFormatter().format([])).resolves.toEqualTypeOf<OpenAIWireMessage[]>()
})
