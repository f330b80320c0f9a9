import { importMessages } from "@agentscope-ts/message"
import type { Formatter } from "@agentscope-ts/model"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasCorpus, type Vector, vectors } from "./fixtures/corpus.ts"
import { OllamaChatFormatter, OllamaMultiAgentFormatter } from "./index.ts"

let dir = ""
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "vectors-"))
})
afterAll(() => rmSync(dir, { recursive: true }))

function filled(vector: Vector): Vector {
  for (const [name, data] of Object.entries(vector.files ?? {})) writeFileSync(join(dir, name), data, "base64")
  return JSON.parse(JSON.stringify(vector).replaceAll("${DIR}", dir)) as Vector
}

/** Arguments are JSON text: what they say is compared, not their blanks, which differ between languages. */
function withParsedArguments(wire: unknown): unknown {
  return JSON.parse(JSON.stringify(wire), (key, value: unknown) =>
    key === "arguments" && typeof value === "string" ? (JSON.parse(value) as unknown) : value,
  )
}

describe.skipIf(!hasCorpus)("the reference's vectors", () => {
  it.each(vectors().map((vector) => [`${vector.name} ${vector.formatter}`, vector] as const))("%s", async (_, raw) => {
    const { formatter, options = {}, messages, expected } = filled(raw)
    const create = formatter === "chat" ? OllamaChatFormatter : OllamaMultiAgentFormatter
    const created: Formatter = new create({
      promoteToolResultImages: options["promote_tool_result_images"],
      saveMedia: ({ mediaType }) =>
        Promise.resolve(mediaType.startsWith("audio") ? "${SAVED_AUDIO}" : "${SAVED_VIDEO}"),
    })
    const wire = await created.format(importMessages(messages))
    expect(withParsedArguments(wire)).toEqual(withParsedArguments(expected))
  })
})
