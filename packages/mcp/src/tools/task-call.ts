import type { JsonObject } from "@agentscope-ts/message"
import { type RequestOptions, type Session, asObject } from "../sdk/session.ts"

/**
 * Calls a tool that runs in the background only (`execution.taskSupport: "required"`): the server makes a task of it, whose
 * result is waited for. Giving up cancels the task.
 */
export async function callAsTask(session: Session, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
  const created = await session.request("tools/call", { ...params, task: {} }, options)
  const { taskId } = asObject(created["task"])
  // a server may answer at once after all
  if (typeof taskId !== "string") return created
  try {
    return await session.request("tasks/result", { taskId }, options)
  } catch (error) {
    if (session.isOpen) await session.request("tasks/cancel", { taskId }).catch(() => {})
    throw error
  }
}
