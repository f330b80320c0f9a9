import { type Tool, tool } from "@agentscope-ts/tool"

/** What an agent records: the facts, and why they are worth it. */
export interface RecordInput {
  readonly thinking?: string | undefined
  readonly content: readonly string[]
}

/** What an agent searches: each keyword by itself, `limit` entries for each. */
export interface RetrieveInput {
  readonly keywords: readonly string[]
  readonly limit?: number | undefined
}

interface ToolMemory {
  recordToMemory(input: RecordInput, options: { signal: AbortSignal }): Promise<string>
  retrieveFromMemory(input: RetrieveInput, options: { signal: AbortSignal }): Promise<string>
}

/** The tools by which an agent keeps its own long-term memory, under the names of the Python framework. */
export function memoryTools(memory: ToolMemory): readonly Tool[] {
  const record = tool({
    name: "record_to_memory",
    description:
      "Keeps facts that will matter in later conversations: who the user is, what they like, what was decided. Each fact has to make sense alone, names and dates written out.",
    input: {
      type: "object",
      properties: {
        thinking: { type: "string", description: "Why these facts are worth keeping." },
        content: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 50, description: "The facts." },
      },
      required: ["content"],
    },
    execute: ({ thinking, content }, { signal }) => memory.recordToMemory({ thinking, content }, { signal }),
  })
  const retrieve = tool({
    name: "retrieve_from_memory",
    description:
      "Searches what was kept from earlier conversations. Use it before saying that something about the user is not known.",
    input: {
      type: "object",
      properties: {
        keywords: {
          type: "array",
          items: { type: "string" },
          minItems: 1,
          maxItems: 20,
          description: "What to search for, short and concrete: a name, a place, a thing. Each is searched by itself.",
        },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: 50,
          default: 5,
          description: "How many facts for each keyword.",
        },
      },
      required: ["keywords"],
    },
    effects: "none",
    execute: ({ keywords, limit }, { signal }) => memory.retrieveFromMemory({ keywords, limit }, { signal }),
  })
  return [record, retrieve] as readonly Tool[]
}
