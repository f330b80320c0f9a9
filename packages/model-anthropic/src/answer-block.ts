import type { JsonObject } from "@agentscope-ts/message"
import { type IndexedBlock, type IndexedForms, objectIn, objectOf, objectsIn, textIn } from "@agentscope-ts/model/wire"

type Wire = Readonly<Record<string, unknown>>

const kinds: Readonly<Record<string, IndexedBlock["type"]>> = { text: "text", thinking: "thinking", tool_use: "json" }

/** What the Messages API says in the fields of a block. */
export const blockForms: IndexedForms = {
  typeOf: ({ type }) => kinds[textIn(type)] ?? "own",
  begin: (block) => {
    const { type, fields } = block
    if (type === "json") block.start(textIn(fields["id"]), textIn(fields["name"]))
    else if (type !== "own") block.add(textIn(fields[type]))
  },
  // a tool of the provider's own has an input too
  goesOn: (block) =>
    block.type === "json" ||
    (block.type === "own" && block.fields["input"] !== undefined && objectOf(block.text) === undefined),
  end: (block) => {
    const data = dataOf(block)
    if (Object.keys(data).length > 0) block.end({ provider: "anthropic", data: data as JsonObject })
  },
}

/** What goes with a block: with text its citations, with thinking its signature; what is Anthropic's own is all data. */
function dataOf(block: IndexedBlock): Wire {
  const { type, id: _, name: __, input, caller, ...rest } = block.fields
  switch (block.type) {
    case "text":
      return objectsIn(rest["citations"]).length > 0 ? { citations: rest["citations"] } : {}
    case "thinking":
      return textIn(rest["signature"]) === "" ? {} : { signature: rest["signature"] }
    case "json": {
      // no pieces came: the arguments are where the call began, in some endpoints' as JSON in a text
      const told = typeof input === "string" ? input : JSON.stringify(input ?? {})
      if (block.text.trim() === "" && told !== "{}") block.add(told)
      // who called, where that was not the model itself
      const isDirect = (objectIn<Wire>(caller)?.["type"] ?? "direct") === "direct"
      return { ...(!isDirect && { caller }), ...rest }
    }
    default: {
      const pieces = objectOf(block.text)
      return textIn(type) === "" ? {} : { ...block.fields, ...(pieces && { input: pieces }) }
    }
  }
}
