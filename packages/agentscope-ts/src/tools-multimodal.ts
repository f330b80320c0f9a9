export * from "@agentscope-ts/tools-multimodal"
