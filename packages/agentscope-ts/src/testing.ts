export * from "@agentscope-ts/testing"
