// The tools of the scripts: JSON Schema for all, a zod schema as `input` where zod is asked for.

const object = (properties) => ({
  type: "object",
  properties: Object.fromEntries(Object.entries(properties).map(([name, type]) => [name, { type }])),
  required: Object.keys(properties),
  additionalProperties: false,
})

/** @param {"none" | "json" | "zod"} kind */
export async function toolsOf(kind, { onAdd = () => {} } = {}) {
  if (kind === "none") return []
  const tools = [
    {
      name: "add",
      description: "Adds two numbers",
      parameters: object({ a: "number", b: "number" }),
      execute: ({ a, b }) => {
        onAdd()
        return a + b
      },
    },
    {
      name: "wait",
      description: "Waits for 20 ms",
      parameters: object({ n: "number" }),
      execute: ({ n }) => new Promise((resolve) => setTimeout(resolve, 20, `waited ${n}`)),
    },
    {
      name: "write",
      description: "Writes a text",
      parameters: object({ text: "string" }),
      execute: ({ text }) => text.length,
    },
  ]
  if (kind === "json") return tools
  const { z } = await import("zod")
  const inputs = [
    z.object({ a: z.number(), b: z.number() }),
    z.object({ n: z.number() }),
    z.object({ text: z.string() }),
  ]
  return tools.map((tool, i) => ({ ...tool, input: inputs[i] }))
}
