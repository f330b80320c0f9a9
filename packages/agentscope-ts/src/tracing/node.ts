export * from "@agentscope-ts/tracing/node"
