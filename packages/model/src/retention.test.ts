import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { userMsg } from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import type { ChatRequest } from "./chat-request.ts"
import { ChatModel } from "./chat-model.ts"
import { Formatter } from "./formatter.ts"
import type { CallSink } from "./stream/call-sink.ts"

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

class Echo extends ChatModel {
  constructor() {
    super({ provider: "echo", model: "echo", formatters: { chat: new Plain() } })
  }

  protected override async send(_request: ChatRequest, sink: CallSink): Promise<void> {
    sink.emit({ type: "text_delta", index: 0, text: "hello" })
    sink.finish({ stopReason: "stop" })
  }
}
class Plain extends Formatter<string> {
  protected override formatAll(): string[] {
    return []
  }
}

/** A look at a weak reference keeps its target until the end of the job: so each look has a job of its own. */
async function isGone(ref: WeakRef<object>): Promise<boolean> {
  for (let i = 0; i < 20; i++) {
    await new Promise(setImmediate)
    collect()
    await new Promise(setImmediate)
    if (ref.deref() === undefined) return true
  }
  return false
}

describe("a call that is over", () => {
  test("leaves nothing of its consumer with the conversation or the model", async () => {
    const model = new Echo()
    const conversation = {}
    const call = async () => {
      const sink = { onDelta: () => {}, onWarning: () => {} }
      await model.stream({ messages: [userMsg("Hi")], conversation }).drive(sink)
      return new WeakRef(sink)
    }
    expect(await isGone(await call())).toBe(true)
    // used here, so that it was there all the time
    expect((await model.generate({ messages: [userMsg("Hi")], conversation })).stopReason).toBe("stop")
  })
})
