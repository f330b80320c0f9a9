export { globTest, matchArguments } from "./approval/argument-pattern.ts"
export { idempotencyKeyOf } from "./execution/call-context.ts"
export { canonicalJson, digestOf } from "./approval/digest.ts"
export { type ApprovalPolicy, type ApprovalRule, type Condition, checkApprovalPolicy, when } from "./approval/policy.ts"
export { fingerprintOf } from "./approval/fingerprint.ts"
export type { RememberedRule } from "./approval/remembered-rule.ts"
export {
  type ContextEntry,
  type ContextKey,
  type ContextToken,
  type ContextValues,
  contextKey,
  type ToolContext,
} from "./context.ts"
export type { AnyTool, Effects, InputOf, ResultOf, RuleLanguage, Tool, ToolHints } from "./define/definition.ts"
export { isToolResult, isToolUse } from "./define/guards.ts"
export { outputSchemaOf } from "./define/output-schema.ts"
export { type RemoteToolConfig, remoteTool } from "./define/remote-tool.ts"
export { type ToolResponse, toolResponse } from "./define/response.ts"
export { type External, type OutputOf, type ToolConfig, tool } from "./define/tool.ts"
export { type ToolMethodConfig, toolMethod, toolsOf } from "./define/tool-method.ts"
export type { ToolErrorCode } from "./error.ts"
export { type FileSpill, type FileSpillOptions, fileSpill } from "./execution/file-spill.ts"
export type { Postprocess } from "./execution/postprocess.ts"
export type { Spill, SpilledCall } from "./execution/spill.ts"
export { repairedCall } from "./execution/repair-arguments.ts"
export { pendingOf } from "./execution/suspension.ts"
export type { ToolChunk, ToolRun } from "./execution/tool-run.ts"
export { folderSkills, type FolderSkillsOptions } from "./skills/folder-skills.ts"
export { readSkill } from "./skills/read-skill.ts"
export type { Skill, SkillInput, SkillLoader, SkillReport } from "./skills/skill.ts"
export type { CallOptions, StartingCall } from "./toolkit/execute-call.ts"
export type { MetaToolName } from "./toolkit/meta-tool.ts"
export type { RegisterOptions } from "./toolkit/tool-entry.ts"
export type { ToolGroup } from "./toolkit/tool-group.ts"
export type { ToolSource } from "./toolkit/tool-source.ts"
export { ToolState } from "./toolkit/tool-state.ts"
export { Toolkit } from "./toolkit/toolkit.ts"
export type { ExecuteOptions, SourceOptions, ToolkitOptions } from "./toolkit/toolkit-options.ts"
