export * from "@agentscope-ts/tools-system"
