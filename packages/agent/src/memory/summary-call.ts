import type { ChatModel, ChatRequest, ChatResponse, ChatStream } from "@agentscope-ts/model"
import { agentError } from "../agent-error.ts"
import { InputEstimate } from "../budget/input-estimate.ts"
import { ModelCall } from "../budget/model-call.ts"
import type { ReplyWork } from "../react/reply-work.ts"

/** Calls a model beside the conversation: within the budgets of the reply, and counted into its usage. */
export async function summaryCall(work: ReplyWork, model: ChatModel, request: ChatRequest): Promise<ChatResponse> {
  const { purse, run, settings } = work
  const call = purse && new ModelCall(purse, model, new InputEstimate(), run)
  const admitted = call ? await call.admit(request) : request
  if (run.stopped) call?.cancel()
  run.signal.throwIfAborted()
  if (typeof admitted === "string") throw agentError("budget_exceeded", admitted)
  const sink = call ? { gate: call } : {}
  let stream: ChatStream | undefined
  let response: ChatResponse
  try {
    if (settings.streaming) stream = model.stream(admitted)
    response = await (stream ? stream.drive(sink) : model.generate(admitted, sink))
  } catch (error) {
    const partial = stream?.partial()
    await call?.end(partial, { error })
    if (partial?.usage) run.sumUsage(partial.usage)
    throw error
  }
  await call?.end(response)
  if (response.usage) run.sumUsage(response.usage)
  return response
}
