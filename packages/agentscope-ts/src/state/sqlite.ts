export * from "@agentscope-ts/state/sqlite"
