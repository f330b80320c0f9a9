import { describe, expect, it } from "vitest"
import { randomOf } from "../seeded-random.ts"
import { damages, type Subject } from "./damage.ts"

const chunks = ["Grüße", "aus 北京 🌍", 'mit "Zitat"', "Ende"]
const events = chunks.map((text, index) => `data: ${JSON.stringify({ index, text })}\n\n`)
const bytes = Buffer.from(events.join(""))
let at = 0
const ends = events.map((event) => (at += Buffer.byteLength(event)))

/** The texts of the events that can be read, by the letter of the standard. */
function read(body: Buffer): string[] {
  const text = body.toString().replace(/^\uFEFF/, "")
  return text
    .split(/\r\n\r\n|\n\n|\r\r/)
    .flatMap((event) => event.split(/\r\n|\n|\r/).filter((line) => line.startsWith("data:")))
    .map((line) => (JSON.parse(line.slice(5)) as { readonly text: string }).text)
}

describe.each(damages.map((kind) => [kind.name, kind] as const))("a stream %s", (_, { damage }) => {
  const subject = (seed: number): Subject => {
    const random = randomOf(seed)
    return { bytes, ends, ndjson: false, random: (limit) => Math.floor(random() * limit) }
  }

  it("is as it was up to where it is damaged", () => {
    for (let seed = 1; seed < 300; seed++) {
      const { bytes: out, from, answer } = damage(subject(seed))
      if (answer === "same") expect(read(out), `seed ${seed}`).toEqual(chunks)
      else expect(out.subarray(0, from).equals(bytes.subarray(0, from)), `seed ${seed}`).toBe(true)
    }
  })

  it("is damaged in the same way by the same seed, and in others by others", () => {
    const bodies = Array.from({ length: 50 }, (_, seed) => damage(subject(seed + 1)).bytes.toString("hex"))
    expect(Array.from({ length: 50 }, (_, seed) => damage(subject(seed + 1)).bytes.toString("hex"))).toEqual(bodies)
    expect(new Set(bodies).size).toBeGreaterThan(5)
  })
})
