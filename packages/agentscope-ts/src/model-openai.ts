export * from "@agentscope-ts/model-openai"
