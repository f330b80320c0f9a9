import { type JsonSchema, type MediaBlock, type TextBlock, textOf } from "@agentscope-ts/message"
import { toolResponse } from "@agentscope-ts/tool"
import type { McpClient } from "../mcp-client.ts"
import type { McpOptions } from "../mcp-options.ts"
import { mcpTool, type McpTool } from "../tools/mcp-tool.ts"
import type { McpPrompt } from "./prompt.ts"

/** One tool for each prompt of a server, of its name: a model that calls it gets the prompt's messages to read. */
export async function promptTools(
  client: McpClient,
  options: McpOptions,
  terms: { readonly signal?: AbortSignal | undefined },
): Promise<readonly McpTool[]> {
  return (await client.listPrompts(terms)).map((prompt) => promptTool(prompt, client, options))
}

function promptTool(prompt: McpPrompt, client: McpClient, options: McpOptions): McpTool {
  const { name: server, trusted = false } = options
  const definition = {
    server,
    name: prompt.name,
    ...(prompt.title !== undefined && { title: prompt.title }),
    description: prompt.description ?? `The prompt "${prompt.title ?? prompt.name}" of "${server}".`,
    inputSchema: argumentsSchema(prompt),
    annotations: { readOnlyHint: true },
  }
  return mcpTool(definition, options, async ({ name }, input, ctx) => {
    const given = Object.entries(input).map(([key, value]) => [
      key,
      typeof value === "string" ? value : JSON.stringify(value),
    ])
    const messages = await client.getPrompt(name, Object.fromEntries(given) as Record<string, string>, {
      signal: ctx?.signal,
    })
    const content: (TextBlock | MediaBlock)[] = messages.flatMap((message) => [
      { type: "text" as const, text: `${message.role}: ${textOf(message)}` },
      ...(message.content.filter(({ type }) => type !== "text") as MediaBlock[]),
    ])
    return toolResponse(content, { metadata: { mcp: { server, prompt: name }, ...(!trusted && { untrusted: true }) } })
  })
}

function argumentsSchema({ arguments: args = [] }: McpPrompt): JsonSchema {
  const properties = args.map(({ name, description }) => [
    name,
    { type: "string", ...(description !== undefined && { description }) },
  ])
  const required = args.filter((arg) => arg.required === true).map(({ name }) => name)
  return {
    type: "object",
    properties: Object.fromEntries(properties) as Record<string, JsonSchema>,
    ...(required.length > 0 && { required }),
  }
}
