/** A tool as it stands in a request's body, whatever the wire. */
export interface SentTool {
  readonly name: string
  readonly parameters: unknown
  readonly strict: boolean
}

type Fields = Readonly<Record<string, unknown>>
const fields = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {})
const list = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fields) : [])

/** The tools of a body: of Chat Completions and Ollama, of the Responses API, of Anthropic, of DashScope, of Gemini. */
export function sentTools(body: unknown): SentTool[] {
  const top = fields(body)
  const tools = [...list(top["tools"]), ...list(fields(top["parameters"])["tools"])]
  return tools.flatMap((tool) => {
    const declared = tool["functionDeclarations"] ?? tool["function_declarations"]
    const functions = declared === undefined ? [fields(tool["function"] ?? tool)] : list(declared)
    return functions.map((one) => ({
      name: typeof one["name"] === "string" ? one["name"] : "",
      parameters: one["parameters"] ?? one["input_schema"] ?? one["parametersJsonSchema"],
      strict: one["strict"] === true,
    }))
  })
}
