export * from "@agentscope-ts/model-anthropic"
