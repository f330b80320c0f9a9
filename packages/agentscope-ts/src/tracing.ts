export * from "@agentscope-ts/tracing"
