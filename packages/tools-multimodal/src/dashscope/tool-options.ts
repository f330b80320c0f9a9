import type { ToolContext } from "@agentscope-ts/tool"
import type { FileAccess } from "../media/checked-media.ts"
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

/** Without what is the tools' own. Throws what {@link DashScopeService} does: a missing key is told when a tool is made. */
export function serviceOptions({
  root: _root,
  model: _model,
  ...service
}: DashScopeToolOptions): DashScopeServiceOptions {
  const { baseURL } = new DashScopeService(service)
  return { ...service, baseURL }
}
