export { InMemoryMemory, type MemoryErrorCode } from "./in-memory-memory.ts"
export { Memory, type MemoryRange } from "./memory.ts"
