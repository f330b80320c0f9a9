export { agentAsTool, type AgentToolOptions } from "./sub-agents/agent-as-tool.ts"
export { AgentBase, type AgentOptions, type InterruptContext } from "./base/agent-base.ts"
export type { AgentErrorCode } from "./agent-error.ts"
export { isResume, messagesOf } from "./base/agent-input.ts"
export type {
  AgentEventInit,
  AgentInput,
  AgentRun,
  ReplyOptions,
  ReplyOptionsWithSchema,
  RunContext,
} from "./base/agent-run.ts"
export { Budget, type BudgetLimits } from "./budget/budget.ts"
export type { Hook, HookPoints, Hooks, HookType } from "./hooks/hooks.ts"
export type { LongTermMemoryMode } from "./memory/long-term-part.ts"
export type { Plan, PlanInput, PlanState, Subtask, SubtaskInput } from "./plan/plan.ts"
export { type PlanListener, PlanNotebook, type PlanNotebookOptions } from "./plan/plan-notebook.ts"
export { ReActAgent, type ReActOptions } from "./react/react-agent.ts"
export type { RestoredSession, SessionOptions } from "./session/session.ts"
export { UserAgent, type UserAgentOptions, type UserInput } from "./user/user-agent.ts"
