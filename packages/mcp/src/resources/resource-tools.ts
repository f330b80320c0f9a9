import { asObject, asString } from "../sdk/session.ts"
import type { McpClient } from "../mcp-client.ts"
import type { McpOptions } from "../mcp-options.ts"
import { resourceBlock } from "../tools/content-blocks.ts"
import { mcpTool, type McpTool } from "../tools/mcp-tool.ts"
import { toolResponse } from "@agentscope-ts/tool"

/** A name in the letters that every provider takes. */
const plain = (name: string): string => name.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 40)

/** Two tools, by which a model lists the resources of a server and reads one: `SERVER_list_resources`, `SERVER_read_resource`. */
export function resourceTools(client: McpClient, options: McpOptions): readonly McpTool[] {
  const { name: server } = options
  const metadata = { mcp: { server }, ...(options.trusted !== true && { untrusted: true }) }
  const own = { ...options, toolNames: "plain", trusted: true } as const
  const list = mcpTool(
    {
      server,
      name: `${plain(server)}_list_resources`,
      description: `Lists the resources (files, records, pages …) that "${server}" offers for reading, and the templates of their addresses.`,
      inputSchema: { type: "object", properties: {} },
      annotations: { readOnlyHint: true },
    },
    own,
    async (_definition, _input, ctx) => {
      const terms = { signal: ctx?.signal }
      const [resources, templates] = [await client.listResources(terms), await client.listResourceTemplates(terms)]
      const lines = [
        ...resources.map(({ uri, ...about }) => describe(uri, about)),
        ...templates.map(({ uriTemplate, ...about }) => describe(`${uriTemplate} (template)`, about)),
      ]
      return toolResponse(lines.length > 0 ? lines.join("\n") : `"${server}" offers no resources.`, { metadata })
    },
  )
  const read = mcpTool(
    {
      server,
      name: `${plain(server)}_read_resource`,
      description: `Reads a resource of "${server}" by its address, as ${plain(server)}_list_resources lists it.`,
      inputSchema: {
        type: "object",
        properties: {
          uri: { type: "string", description: "The address; of a template, with its variables filled in." },
        },
        required: ["uri"],
      },
      annotations: { readOnlyHint: true },
    },
    own,
    async (_definition, input, ctx) => {
      const contents = await client.readResource(asString(input["uri"]) ?? "", { signal: ctx?.signal })
      const blocks = contents.map((one) => resourceBlock(asObject(one)))
      return toolResponse(blocks.length > 0 ? blocks : "The resource is empty.", { metadata })
    },
  )
  return [list, read]
}

function describe(
  address: string,
  about: { readonly name: string; readonly title?: string; readonly description?: string; readonly mimeType?: string },
): string {
  const { name, title, description, mimeType } = about
  const type = mimeType === undefined ? "" : ` (${mimeType})`
  return `${address}: ${title ?? name}${type}${description === undefined ? "" : `. ${description}`}`
}
