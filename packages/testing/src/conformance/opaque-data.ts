import type { ChatResponse } from "@agentscope-ts/model"
import type { Cassette } from "../cassette.ts"
import { expectationOf, must } from "./expectation.ts"

const secret = /"(?:signature|thoughtSignature|thought_signature|encrypted_content)"\s*:\s*"((?:[^"\\]|\\.){8,})"/g
const redacted =
  /"type"\s*:\s*"redacted_thinking"[^{}]*?"data"\s*:\s*"((?:[^"\\]|\\.)+)"|"data"\s*:\s*"((?:[^"\\]|\\.)+)"[^{}]*?"type"\s*:\s*"redacted_thinking"/g

/** What the provider signed or encrypted, as it stands in the answer: each value once. */
export function sealedIn({ response: { body } }: Cassette): string[] {
  const found = [...body.matchAll(secret), ...body.matchAll(redacted)].map((match) => match[1] ?? match[2] ?? "")
  return [...new Set(found.map((json) => JSON.parse(`"${json}"`) as string))]
}

/** All strings in the opaque data of an answer's blocks, one after the other. */
function keptBy(response: ChatResponse): { readonly all: string; readonly blocks: readonly string[] } {
  const data = response.content.flatMap((block) => ("opaque" in block && block.opaque ? [block.opaque.data] : []))
  const texts: string[] = []
  const collect = (value: unknown): void => {
    if (typeof value === "string") texts.push(value)
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(collect)
  }
  data.forEach(collect)
  return { all: texts.join("\n"), blocks: data.map((item) => JSON.stringify(item)) }
}

/** The sealed values that an answer kept. */
export function sealedBy(response: ChatResponse, cassette: Cassette): string[] {
  const { all } = keptBy(response)
  return sealedIn(cassette).filter((value) => all.includes(value))
}

/** Signatures, encrypted reasoning and blocks of the provider's own tools are kept, byte for byte, as opaque data. */
export function checkOpaque(response: ChatResponse, cassette: Cassette): void {
  const { signatures = 0, redactedThinking = 0, encryptedReasoning = 0, serverTools = [] } = expectationOf(cassette)
  const due = Math.min(signatures + redactedThinking + encryptedReasoning, sealedIn(cassette).length)
  const kept = sealedBy(response, cassette).length
  must(kept >= due, `opaque data holds ${kept} of the ${due} signatures and encrypted blocks of the answer`)
  const { blocks } = keptBy(response)
  for (const type of new Set(serverTools)) {
    // a tool that left no block of its own in the answer leaves none here
    if (!new RegExp(`"type"\\s*:\\s*"${type}"`).test(cassette.response.body)) continue
    const wanted = serverTools.filter((other) => other === type).length
    const found = blocks.filter((json) => json.includes(`"type":"${type}"`)).length
    must(found >= wanted, `${found} of ${wanted} "${type}" blocks were kept as opaque data`)
  }
}
