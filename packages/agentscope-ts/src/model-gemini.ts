export * from "@agentscope-ts/model-gemini"
