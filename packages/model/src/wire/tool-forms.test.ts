import type { ChatDelta } from "@agentscope-ts/message"
import { expect, test } from "vitest"
import type { CallSink } from "../stream/call-sink.ts"
import { ToolForms } from "./tool-forms.ts"

test("tools have names of arguments that the provider takes, and answers the original ones", () => {
  const forms = new ToolForms(/^[a-z0-9_]{1,64}$/i)
  const parameters = { type: "object", properties: { 名前: { type: "string" } } } as const
  const schema = forms.schema(parameters)
  const [name = ""] = Object.keys(schema.properties ?? {})
  expect(name).toMatch(/^[a-z0-9_]+$/)
  expect(forms.schema(parameters)).toBe(schema)
  const told: ChatDelta[] = []
  const sink: CallSink = {
    streaming: true,
    begin: () => {},
    warn: () => {},
    emit: (delta) => void told.push(delta),
    finish: () => {},
  }
  const tool = { name: "greet", description: "", parameters }
  const named = forms.sink(sink, [tool])
  named.emit({ type: "tool_use_start", index: 0, id: "1", name: "greet" })
  named.emit({ type: "tool_use_delta", index: 0, id: "1", json: JSON.stringify({ [name]: "A" }) })
  named.finish({ stopReason: "tool_use" })
  expect(told.at(-1)).toMatchObject({ json: '{"名前":"A"}' })
  expect(forms.sink(sink, [{ ...tool, parameters: { type: "object" } }])).toBe(sink)
  expect(forms.sink(sink)).toBe(sink)
})
