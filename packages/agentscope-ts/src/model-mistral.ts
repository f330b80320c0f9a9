export * from "@agentscope-ts/model-mistral"
