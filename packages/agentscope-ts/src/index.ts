// What most programs need, flat; providers and what only some need are subpaths named like their packages.
export * from "@agentscope-ts/agent"
export * from "@agentscope-ts/memory"
export * from "@agentscope-ts/message"
export * from "@agentscope-ts/model"
export * from "@agentscope-ts/pipeline"
export * from "@agentscope-ts/state"
export * from "@agentscope-ts/tool"
