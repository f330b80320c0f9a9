export * from "@agentscope-ts/mcp"
