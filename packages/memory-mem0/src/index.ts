export type { Mem0ErrorCode } from "./mem0-error.ts"
export { Mem0LongTermMemory } from "./mem0-long-term-memory.ts"
export type { Mem0Config, Mem0Options, Mem0Part } from "./mem0-options.ts"
