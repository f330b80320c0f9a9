export * from "@agentscope-ts/model-ollama"
