import { existsSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { assistantMsg, userMsg } from "@agentscope-ts/message"
import type { ToolSchema } from "@agentscope-ts/model"
import { runModelConformance } from "@agentscope-ts/testing"
import { expect, it } from "vitest"
import { MistralChatModel } from "./index.ts"

const corpus = process.env["AGENTSCOPE_CORPUS"] ?? resolve(import.meta.dirname, "../../../../shared")
const cassettes = resolve(corpus, "cassettes/mistral")

runModelConformance({
  name: "MistralChatModel",
  create: ({ url, fetch, live, cassette }) =>
    new MistralChatModel({
      model: cassette?.model ?? "mistral-small-latest",
      apiKey: "k",
      baseURL: `${url}/v1`,
      fetch: live ? undefined : fetch,
    }),
  cassettes,
  whenAbsent: "skip",
  missingKey: { variable: "MISTRAL_API_KEY", create: () => new MistralChatModel({ model: "m" }) },
})

interface Body extends Record<string, unknown> {
  readonly model: string
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
  readonly tools?: readonly { readonly function: ToolSchema }[]
}
interface Thought {
  readonly type: string
  readonly thinking: readonly { readonly text: string }[]
}

const recorded = (file: string): Body =>
  (JSON.parse(readFileSync(resolve(cassettes, file), "utf8")) as { request: { body: Body } }).request.body

/** What goes out for these messages; the answer does not matter. */
async function sent(model: string, request: Parameters<MistralChatModel["stream"]>[0]): Promise<Body> {
  const bodies: Body[] = []
  const fetch = async (_: unknown, init?: RequestInit) => {
    bodies.push(JSON.parse(init?.body as string) as Body)
    return Response.json({ choices: [{ message: { content: "ok" }, finish_reason: "stop" }] })
  }
  await new MistralChatModel({ model, apiKey: "k", fetch }).stream(request).response.catch(() => {})
  return bodies[0] as Body
}

it.skipIf(!existsSync(cassettes))("makes the requests that were recorded", async () => {
  const tools = recorded(
    "004-stream-tool-single-test-synchronous-streaming-chat-completions-with-tool-call-respon.json",
  )
  const { temperature, top_p, safe_prompt, ...rest } = tools
  const asked = await sent(tools.model, {
    messages: tools.messages.map(({ content }) => userMsg(content as string)),
    tools: tools.tools?.map((tool) => tool.function) ?? [],
    toolChoice: "required",
    params: { temperature: temperature as number, topP: top_p as number, extraBody: { safe_prompt } },
  })
  expect(asked).toEqual({ temperature, top_p, safe_prompt, ...rest })

  const { model, messages } = recorded("005-thinking-test-mistral-model-thinking-part.json")
  const [question, answer, next] = messages.map(({ content }) => content) as [
    string,
    [Thought, { text: string }],
    string,
  ]
  const thinking = answer[0].thinking.map(({ text }) => text).join("")
  const content = [{ type: "thinking", thinking } as const, { type: "text", text: answer[1].text } as const]
  const gone = await sent(model, { messages: [userMsg(question), assistantMsg(content), userMsg(next)] })
  expect(gone.messages).toEqual([
    { role: "user", content: question },
    // one text for several: what was read is one block
    { role: "assistant", content: [{ type: "thinking", thinking: [{ type: "text", text: thinking }] }, answer[1]] },
    { role: "user", content: next },
  ])
})
