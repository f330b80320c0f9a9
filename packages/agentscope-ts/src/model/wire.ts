export * from "@agentscope-ts/model/wire"
