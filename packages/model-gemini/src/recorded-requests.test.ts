import { cassettesOf, hasCorpus, startReplay } from "@agentscope-ts/fixtures"
import type { JsonSchema } from "@agentscope-ts/message"
import { describe, expect, it } from "vitest"
import { messagesOf, plain, textIn, toolsOf } from "./fixtures/recorded-request.ts"
import { GeminiChatModel, type GeminiParams } from "./index.ts"

type Json = Record<string, unknown>
interface Part extends Json {
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args: unknown }
  readonly functionResponse?: { readonly id?: string; readonly name: string; readonly response: Json }
  readonly inlineData?: { readonly mimeType: string; readonly data: string }
}

const recorded = cassettesOf("gemini-").filter(({ request }) => request.body !== null)

/** The settings that a recorded request has, under our names. */
function paramsOf(body: Json): GeminiParams {
  const config = (body["generationConfig"] ?? {}) as Json
  const served = ((body["tools"] ?? []) as readonly Json[]).filter((tool) => !tool["functionDeclarations"])
  return {
    temperature: config["temperature"] as number | undefined,
    seed: config["seed"] as number | undefined,
    maxTokens: config["maxOutputTokens"] as number | undefined,
    thinkingConfig: config["thinkingConfig"] as GeminiParams["thinkingConfig"],
    responseModalities: config["responseModalities"] as readonly string[] | undefined,
    safetySettings: body["safetySettings"] as GeminiParams["safetySettings"],
    ...(served.length > 0 && { serverTools: served }),
    ...(body["toolConfig"] !== undefined && { extraBody: { toolConfig: body["toolConfig"] } }),
  }
}

/** A content by what it says: a result's words count, not what its field is called; base64 in either alphabet. */
const comparable = (contents: unknown, withIds: boolean): unknown =>
  (contents as readonly { role?: string; parts: readonly Part[] }[]).map(({ role = "user", parts }) => ({
    role,
    parts: parts.map(({ functionCall, functionResponse: result, inlineData, ...part }) => {
      const { id: _, ...call } = functionCall ?? {}
      return {
        ...part,
        ...(functionCall && { call: withIds ? functionCall : call }),
        ...(result && {
          result: { name: result.name, said: textIn(result.response), error: "error" in result.response },
          id: withIds && result.id,
        }),
        ...(inlineData && {
          inlineData: { ...inlineData, data: Buffer.from(inlineData.data, "base64").toString("hex") },
        }),
      }
    }),
  }))

describe.skipIf(!hasCorpus)("a request made of recorded messages", () => {
  it.each(recorded.map((cassette) => [cassette.file, cassette] as const))(
    "is the recorded one: %s",
    async (_, cassette) => {
      await using server = await startReplay({ cassettes: [cassette] })
      const body = plain(cassette.request.body) as Json
      const config = (body["generationConfig"] ?? {}) as Json
      const schema = (config["responseJsonSchema"] ?? config["responseSchema"]) as JsonSchema | undefined
      const vertex = cassette.request.path.includes("/projects/")
      const location = /locations\/([^/]+)/.exec(cassette.request.path)?.[1]
      const model = new GeminiChatModel({
        model: cassette.model ?? "gemini-2.5-flash",
        apiKey: "test-key",
        baseURL: server.url,
        maxRetries: 0,
        params: paramsOf(body),
        ...(vertex && { apiVersion: "v1beta1", vertex: { project: "PROJECT", location, accessToken: "token" } }),
      })
      const request = { messages: messagesOf(body), tools: toolsOf(body), ...(schema === undefined ? {} : { schema }) }
      const call = cassette.api === "gemini-stream" ? model.stream(request).response : model.generate(request)
      await call.catch((error: unknown) => {
        if (!cassette.expect.error) throw error
      })
      const [sent] = server.requests
      expect(sent?.path).toBe(cassette.request.path)
      const made = plain(sent?.body) as Json
      // each call of ours has an id; some recordings have none
      const withIds = JSON.stringify(body["contents"]).includes('"id"')
      expect(comparable(made["contents"], withIds)).toEqual(comparable(body["contents"], withIds))
      const system = (value: unknown) =>
        (value as { parts?: readonly Json[] } | undefined)?.parts?.filter(({ text }) => text !== "")
      expect(system(made["systemInstruction"]) ?? []).toEqual(system(body["systemInstruction"]) ?? [])
      expect(toolsOf(made).map(({ name }) => name)).toEqual(toolsOf(body).map(({ name }) => name))
      expect(paramsOf(made)).toEqual(paramsOf(body))
      expect((made["generationConfig"] as Json | undefined)?.["responseMimeType"]).toEqual(config["responseMimeType"])
      expect(made["safetySettings"]).toEqual(body["safetySettings"])
      if (vertex) expect(sent?.headers["authorization"]).toBe("Bearer token")
      else expect(sent?.headers["x-goog-api-key"]).toBe("test-key")
    },
  )
})
