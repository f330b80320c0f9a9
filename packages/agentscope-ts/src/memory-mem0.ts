export * from "@agentscope-ts/memory-mem0"
