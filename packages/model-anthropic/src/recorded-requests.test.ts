import { cassettesOf, hasCorpus, startReplay } from "@agentscope-ts/fixtures"
import { describe, expect, it } from "vitest"
import { plainBlock, plainMessages, recordedRequest } from "./fixtures/recorded-request.ts"
import { AnthropicChatModel } from "./index.ts"

type Wire = Record<string, unknown>
const recorded = cassettesOf("anthropic-messages").filter(({ request }) => request.body !== null)

describe.skipIf(!hasCorpus)("a request made from recorded messages", () => {
  it.each(recorded.map((cassette) => [cassette.file, cassette] as const))(
    "says what the recording says: %s",
    async (_, cassette) => {
      const body = cassette.request.body as Wire
      await using server = await startReplay({ cassettes: [cassette] })
      const model = new AnthropicChatModel({
        model: body["model"] as string,
        apiKey: "k",
        baseURL: server.url,
        maxRetries: 0,
      })
      const request = recordedRequest(body)
      // the answer may be an error, or not fit the schema: here the request counts
      await (body["stream"] === true ? model.stream(request).response : model.generate(request)).catch(() => {})
      const sent = server.requests[0]?.body as Wire
      expect(sent["model"]).toBe(body["model"])
      expect(sent["max_tokens"]).toBe(body["max_tokens"])
      expect(plainMessages(sent["messages"])).toEqual(plainMessages(body["messages"]))
      expect(((sent["tools"] as Wire[] | undefined) ?? []).map(plainBlock)).toEqual(
        (body["tools"] as Wire[] | undefined) ?? [],
      )
      expect(sent["system"] ? (sent["system"] as Wire[]).map(plainBlock) : undefined).toEqual(
        (body["system"] as Wire[] | undefined)?.map(plainBlock),
      )
      for (const field of ["thinking", "tool_choice", "container", "temperature"])
        expect(sent[field], field).toEqual(body[field])
      expect(sent["stream"] ?? false).toBe(body["stream"] ?? false)
      const output = (value: unknown) => {
        const { format, ...rest } = (value ?? {}) as { format?: Wire }
        return { ...rest, ...(format && { format: format["type"] }) }
      }
      expect(output(sent["output_config"])).toEqual(output(body["output_config"]))
    },
  )
})
