export * from "@agentscope-ts/model-dashscope"
