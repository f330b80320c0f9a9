import { AgentScopeError, ambient, type JsonObject } from "@agentscope-ts/message"
import { classifyError, modelError } from "@agentscope-ts/model"
import { malformed, objectIn, textIn } from "@agentscope-ts/model/wire"
import type { DashScopeService, ServiceRequest } from "./dashscope-service.ts"

type Fields = Readonly<Record<string, unknown>>

/** What is told of a task while it goes on. */
export interface TaskProgress {
  readonly taskId: string
  /** `PENDING`, `RUNNING`, … as the service says. */
  readonly status: string
  readonly seconds: number
}

/** How a task is waited for. */
export interface TaskOptions extends Omit<ServiceRequest, "isTask"> {
  readonly onProgress?: ((progress: TaskProgress) => void) | undefined
  /** How long it may take, in milliseconds. */
  readonly timeoutMs: number
}

/** A task that has succeeded. */
export interface TaskResult {
  readonly taskId: string
  readonly output: Fields
  readonly usage: JsonObject | undefined
}

const firstWaitMs = 1000
const longestWaitMs = 10_000
/** How often in a row asking may fail before the task is given up. */
const mostFailures = 5

/**
 * Creates a task and asks after it until it is done: `X-DashScope-Async: enable` on the POST, then `GET tasks/{task_id}`
 * (statuses `PENDING`, `RUNNING`, `SUCCEEDED`, `FAILED`, `CANCELED`, `UNKNOWN`; a task is kept for 24 hours). Source: Alibaba
 * Cloud Model Studio, the API references of Wan text-to-video and text-to-image.
 *
 * The task is created once: it costs money. Asking waits 1 s at first and 10 s at most. When it fails, is given up or aborted,
 * the error's `details.taskId` says of which task.
 */
export async function runTask(
  service: DashScopeService,
  path: string,
  body: { readonly model: string },
  { onProgress, timeoutMs, ...request }: TaskOptions,
): Promise<TaskResult> {
  const startedAt = ambient().now()
  const created = await service.post(path, body, { ...request, isTask: true })
  const taskId = textIn(outputOf(created)["task_id"])
  if (taskId === "") throw malformed(`${body.model} answered without a task_id.`)
  const { signal } = request
  let answer = created
  let waitMs = firstWaitMs
  let failures = 0
  for (;;) {
    const output = outputOf(answer)
    const status = textIn(output["task_status"])
    const seconds = Math.round((ambient().now() - startedAt) / 1000)
    if (failures === 0) onProgress?.({ taskId, status, seconds })
    if (status === "SUCCEEDED") return { taskId, output, usage: objectIn<JsonObject>(answer["usage"]) }
    if (["FAILED", "CANCELED", "UNKNOWN"].includes(status)) throw failed(body.model, taskId, status, output)
    if (ambient().now() - startedAt >= timeoutMs) {
      const message = `The task ${taskId} of ${body.model} is still ${status || "going on"} after ${seconds} s: it was given up.`
      throw modelError({ code: "timeout", message, retryable: false, details: { taskId } })
    }
    try {
      await ambient().sleep(waitMs, signal)
      answer = await service.get(`tasks/${encodeURIComponent(taskId)}`, {}, signal)
      failures = 0
    } catch (error) {
      if (signal?.aborted) throw abandoned(body.model, taskId, signal)
      if (!AgentScopeError.is(error) || !error.retryable || ++failures >= mostFailures) throw withTask(error, taskId)
    }
    waitMs = Math.min(waitMs * 1.5, longestWaitMs)
  }
}

const outputOf = (answer: Fields): Fields => objectIn<Fields>(answer["output"]) ?? {}

function failed(model: string, taskId: string, status: string, output: Fields): Error {
  const code = textIn(output["code"])
  const said = [code, textIn(output["message"])].filter((text) => text !== "").join(": ")
  if (status === "UNKNOWN") {
    const message = `The task ${taskId} of ${model} is not known any more: the service keeps tasks for 24 hours.`
    return modelError({ code: "not_found", message, details: { taskId } })
  }
  if (status === "CANCELED") {
    return modelError({
      code: "server_error",
      message: `The task ${taskId} of ${model} was cancelled.`,
      retryable: false,
      details: { taskId },
    })
  }
  return modelError({
    code: classifyError({ code, message: textIn(output["message"]) }).code,
    message: `The task ${taskId} of ${model} failed: ${said || "no reason given"}`,
    details: { taskId, ...(code !== "" && { code }) },
  })
}

const abandoned = (model: string, taskId: string, signal: AbortSignal): Error =>
  modelError({
    code: "aborted",
    message: `Waiting for the task ${taskId} of ${model} was aborted; the service goes on with it.`,
    cause: signal.reason,
    details: { taskId },
  })

/** An error of asking, with the task that it was about. */
function withTask(error: unknown, taskId: string): unknown {
  if (!AgentScopeError.is(error)) return error
  const { code, message, retryable, cause, details } = error
  return new AgentScopeError({ code, message, retryable, cause, details: { ...details, taskId } })
}
