import type { AgentEvent, ChatDelta, ToolUseBlock } from "@agentscope-ts/message"
import type { ChatModel, ChatRequest, ChatResponse, ChatStream, ChatStreamSink, Gate } from "@agentscope-ts/model"
import type { Run } from "../base/agent-run.ts"

/** What a model call came to: the answer, or what there was of it when it failed or was stopped. */
export type Said =
  | {
      readonly response: ChatResponse
      /** Why the provider filtered the answer, where it says so. */
      readonly filtered?: string | undefined
    }
  | { readonly partial: ChatResponse | undefined; readonly error: unknown }

/** Calls the model and tells the run's listener what it says; `onToolUse` hears of each call that is complete. */
export async function say(
  model: ChatModel,
  request: ChatRequest,
  streaming: boolean,
  run: Run,
  msgId: string,
  onToolUse: ((call: ToolUseBlock) => void) | undefined,
  gate?: Gate,
): Promise<Said> {
  let filtered: string | undefined
  const sink: { -readonly [K in keyof ChatStreamSink]: ChatStreamSink[K] } = {
    onRetry: (retry) => run.emit({ type: "retry", ...retry }),
    onWarning: ({ code, message }) => {
      // the answer's end is told of by the loop, under one code for all providers
      if (code === "content_filtered") filtered = message
      else run.warn(code, message)
    },
  }
  // who does not listen pays for no delta (by a constant: V8 makes a function assigned as it stands in old space)
  const onDelta = (delta: ChatDelta): void => tell(run, msgId, delta)
  if (run.listener) sink.onDelta = onDelta
  if (gate) sink.gate = gate
  if (onToolUse) sink.onToolUse = onToolUse
  let stream: ChatStream | undefined
  try {
    if (!streaming) return { response: await model.generate(request, sink), filtered }
    stream = model.stream(request)
    return { response: await stream.drive(sink), filtered }
  } catch (error) {
    return { partial: stream?.partial(), error }
  }
}

/** One literal a delta and nothing spread: this is the path of every token. */
function tell(run: Run, msgId: string, delta: ChatDelta): void {
  const { listener, replyId, agentName: agent, path } = run
  if (listener === undefined) return
  const seq = run.nextSeq()
  const { index } = delta
  let event: AgentEvent
  switch (delta.type) {
    case "text_delta":
      event = { type: "text_delta", index, text: delta.text, msgId, replyId, agent, path, seq }
      break
    case "thinking_delta":
      event = { type: "thinking_delta", index, text: delta.text, msgId, replyId, agent, path, seq }
      break
    case "tool_use_start":
      event = { type: "tool_use_start", index, id: delta.id, name: delta.name, msgId, replyId, agent, path, seq }
      break
    case "tool_use_delta":
      event = { type: "tool_use_delta", index, id: delta.id, json: delta.json, msgId, replyId, agent, path, seq }
      break
    case "block_end":
      event = { type: "block_end", index, block: delta.block, msgId, replyId, agent, path, seq }
      break
  }
  listener(event)
}
