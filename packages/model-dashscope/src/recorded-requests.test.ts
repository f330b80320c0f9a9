import { cassettesOf, hasCorpus } from "@agentscope-ts/fixtures"
import { startReplayServer } from "@agentscope-ts/testing"
import { describe, expect, it } from "vitest"
import { meaningOf, type RecordedBody, requestOf } from "./fixtures/recorded-request.ts"
import { DashScopeChatModel } from "./index.ts"

const recorded = cassettesOf("dashscope-").filter(({ request }) => request.body)

describe.skipIf(!hasCorpus)("a request that was recorded", () => {
  it.each(recorded.map((cassette) => [cassette.file, cassette] as const))(
    "says the same from us: %s",
    async (_, cassette) => {
      const body = cassette.request.body as unknown as RecordedBody
      await using server = await startReplayServer(cassette)
      const baseURL = `${server.url}/api/v1`
      const model = new DashScopeChatModel({ model: body.model, apiKey: "k", baseURL, maxRetries: 0 })
      const request = requestOf(body)
      const streams = cassette.request.headers?.["x-dashscope-sse"] === "enable"
      // one of the answers is an error in the stream
      await (streams ? model.stream(request).response : model.generate(request)).catch(() => {})
      const [sent] = server.requests
      const said = sent?.body as RecordedBody
      expect(meaningOf(said)).toEqual(meaningOf(body))
      expect(sent?.path).toBe(cassette.request.path)
      expect(sent?.headers["x-dashscope-sse"]).toBe(streams ? "enable" : undefined)
      expect(sent?.headers["authorization"]).toBe("Bearer k")
      expect(said.parameters).toMatchObject({
        result_format: "message",
        ...(streams && { incremental_output: true }),
      })
    },
  )
})
