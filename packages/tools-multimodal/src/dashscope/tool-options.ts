import type { ToolContext } from "@agentscope-ts/tool"
import type { FileAccess } from "../media/checked-media.ts"
import { checkOptions } from "../error.ts"
import { DashScopeService, type DashScopeServiceOptions } from "./dashscope-service.ts"
import type { TaskProgress } from "./run-task.ts"

/** Options of the DashScope tools. */
export interface DashScopeToolOptions extends DashScopeServiceOptions, FileAccess {
  /** The model where a call names none. */
  model?: string | undefined
}

/** Tells of a task as the progress of a call: `{ taskId, status, seconds }`. */
export const progressOf =
  ({ emit }: ToolContext) =>
  ({ taskId, status, seconds }: TaskProgress): void =>
    emit({ taskId, status, seconds })

const names = ["apiKey", "baseURL", "headers", "fetch", "root", "model"]

/**
 * Without what is the tools' own. Throws what {@link DashScopeService} does: a missing key is told when a tool is made; and
 * `invalid_argument` for an option that does not exist.
 */
export function serviceOptions(options: DashScopeToolOptions): DashScopeServiceOptions {
  checkOptions(options, names)
  const { root: _root, model: _model, ...service } = options
  const { baseURL } = new DashScopeService(service)
  return { ...service, baseURL }
}
