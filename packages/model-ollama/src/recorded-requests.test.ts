import { cassettesOf, hasCorpus } from "@agentscope-ts/fixtures"
import { startReplayServer } from "@agentscope-ts/testing"
import { describe, expect, it } from "vitest"
import { meaningOf, type RecordedBody, requestOf } from "./fixtures/recorded-request.ts"
import { OllamaChatModel } from "./index.ts"

const recorded = cassettesOf("ollama-").filter(({ request }) => request.body)

describe.skipIf(!hasCorpus)("a request that was recorded", () => {
  it.each(recorded.map((cassette) => [cassette.file, cassette] as const))(
    "says the same from us: %s",
    async (_, cassette) => {
      const body = cassette.request.body as unknown as RecordedBody
      await using server = await startReplayServer(cassette)
      const model = new OllamaChatModel({ model: body.model, baseURL: server.url, maxRetries: 0 })
      const request = requestOf(body)
      // one of the answers is an error
      await (body.stream ? model.stream(request).response : model.generate(request)).catch(() => {})
      const [sent] = server.requests
      const said = sent?.body as RecordedBody
      expect(meaningOf(said)).toEqual(meaningOf(body))
      expect(said.stream).toBe(body.stream ?? false)
      expect(sent?.path).toBe("/api/chat")
      expect(sent?.headers["authorization"]).toBeUndefined()
    },
  )
})
