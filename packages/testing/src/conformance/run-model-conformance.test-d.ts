import type { ChatModel } from "@agentscope-ts/model"
import { expectTypeOf, test } from "vitest"
import type { ModelConformanceSuite } from "./model-suite.ts"
import { runModelConformance } from "./run-model-conformance.ts"

test("a suite needs a name, a model for a url and a fetch, and cassettes", () => {
  type Create = (server: { url: string; fetch: typeof globalThis.fetch }) => ChatModel
  expectTypeOf<{ name: string; create: Create; cassettes: string }>().toExtend<ModelConformanceSuite>()
  expectTypeOf(runModelConformance).returns.toEqualTypeOf<void>()
})
