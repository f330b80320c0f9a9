export * from "@agentscope-ts/model-offline"
