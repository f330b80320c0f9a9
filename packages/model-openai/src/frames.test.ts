import { cassettesOf } from "@agentscope-ts/fixtures"
import { Frame } from "@agentscope-ts/model/wire"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { read, sse } from "./fixtures/stream.ts"

const soak = process.env["AGENTSCOPE_SOAK"] === "1"

describe("frames", () => {
  const streams = cassettesOf("openai-chat").filter(({ categories }) => categories.includes("stream"))

  it.each(streams.map(({ file, response }) => [file, response.body] as const))("change nothing in %s", (_, body) => {
    const plain = read(body, false)
    // short ones may have no frame; repeated, each has
    expect(read(body, true)).toEqual(plain)
    const twice = body.replace(/data: \[DONE\]\n\n/g, "").repeat(3)
    expect(read(twice, true)).toEqual(read(twice, false))
  })

  const text = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 8 }),
    fc.constantFrom(
      "",
      '"',
      "\\",
      "\\\\",
      '\\"',
      "\n",
      "\u0000",
      "\ud83d",
      "{",
      "}",
      '"content":"',
      '"arguments":',
      "data: ",
      "é😀",
      "\u2028",
    ),
  )
  const delta = fc.oneof(
    { weight: 6, arbitrary: text.map((content) => ({ content })) },
    { weight: 3, arbitrary: text.map((reasoning_content) => ({ reasoning_content })) },
    { weight: 2, arbitrary: text.map((reasoning) => ({ reasoning, content: "" })) },
    {
      weight: 6,
      arbitrary: fc
        .record({ at: fc.nat(1), json: fc.oneof(text, fc.constantFrom('{"a":1}', "{", "}")) })
        .map(({ at, json }) => ({ tool_calls: [{ index: at, function: { arguments: json } }] })),
    },
    {
      weight: 1,
      arbitrary: fc
        .nat(2)
        .map((at) => ({ tool_calls: [{ index: at, id: `c${at}`, function: { name: "f", arguments: "" } }] })),
    },
    { weight: 1, arbitrary: text.map((content) => ({ content, refusal: content, tool_calls: null })) },
    { weight: 1, arbitrary: text.map((content) => ({ content, reasoning_content: content })) },
    { weight: 1, arbitrary: fc.constant({}) },
  )
  const chunkOf = fc.record({
    delta,
    finish: fc.oneof({ weight: 12, arbitrary: fc.constant(null) }, fc.constantFrom("stop", "tool_calls", "error")),
    usage: fc.oneof(
      { weight: 12, arbitrary: fc.constant(null) },
      fc.constant({ prompt_tokens: 1, completion_tokens: 2 }),
    ),
    index: fc.oneof({ weight: 15, arbitrary: fc.constant(0) }, fc.constant(1)),
    spaced: fc.boolean(),
    hidden: fc.boolean(),
    // runs of a kind are what frames are for
    times: fc.nat(6),
  })

  it("change nothing in random streams, whole or damaged", () => {
    fc.assert(
      fc.property(
        fc.array(chunkOf, { maxLength: 12 }),
        fc.option(
          fc.record({ at: fc.nat(4000), by: fc.constantFrom("", '"', "\\", "}", "\n", "\t", "\u0001", "x", "\\u12") }),
          { nil: undefined },
        ),
        fc.array(fc.nat(4000), { maxLength: 6 }),
        (parts, damage, cuts) => {
          let body = ""
          for (const { delta, finish, usage, index, spaced, hidden, times } of parts) {
            for (let i = 0; i <= times; i++) {
              const obfuscation = "k-Z_9aQ".slice(0, (i * 3) % 7)
              const chunk = { id: "i", choices: [{ index, delta, finish_reason: finish }], usage }
              const line = sse(hidden ? { ...chunk, obfuscation } : chunk)
              body += spaced ? line.replaceAll('":', '": ') : line
            }
          }
          if (damage && damage.at < body.length) body = body.slice(0, damage.at) + damage.by + body.slice(damage.at + 1)
          const pieces = cuts.filter((cut) => cut < body.length)
          expect(read(body, true, pieces)).toEqual(read(body, false, pieces))
        },
      ),
      { numRuns: soak ? 20_000 : 2000, seed: 8 },
    )
  })
})

describe("Frame", () => {
  const line = '{"choices":[{"delta":{"content":"Hi"}}]}'
  const read = (value: unknown) => (value as { choices: { delta: { content: string } }[] }).choices[0]?.delta.content
  const frame = Frame.of(line, '"content":', read) as Frame
  const match = (text: string) => frame.match(`xx${text}`, 2)

  it("takes out the text of an event with the same bytes around it, and finds its end", () => {
    const event = (content: string) => `data: {"choices":[{"delta":{"content":"${content}"}}]}\n\n`
    expect(match(event(" there"))).toBe(" there")
    expect(match(event(""))).toBe("")
    expect(match(event('a\\"b\\\\c\\n\\u00e9 é😀\u2028'))).toBe('a"b\\c\né é😀\u2028')
    expect(match(`${event("one")}${event("two")}`)).toBe("one")
    expect(frame.end).toBe(2 + event("one").length)
    expect(match(event("one").replace("data: ", "data:"))).toBe("one")
    expect(frame.end).toBe(1 + event("one").length)
  })

  it.each([
    'data: {"choices":[{"delta":{"content":"Hi"}}],"usage":1}\n\n',
    'data: {"choices":[{"delta":{"content":"Hi","role":"x"}}]}\n\n',
    'data: {"choices":[{"delta":{"content":null}}]}\n\n',
    'data: {"choices":[{"delta":{"content":"Hi',
    'data: {"choices":[{"delta":{"content":"Hi\\"}}]}\n\n',
    'data: {"choices":[{"delta":{"content":"\\x"}}]}\n\n',
    'data: {"choices":[{"delta":{"content":"a\tb"}}]}\n\n',
    `data: ${line}\n`,
    `data: ${line}\ndata: x\n\n`,
    `data: ${line} \n\n`,
    `data:  ${line}\n\n`,
    `: data: ${line}\n\n`,
    `data: ${line.replaceAll(":", ": ")}\n\n`,
    "data: [DONE]\n\n",
    "",
  ])("leaves %j to be parsed", (text) => {
    expect(match(text)).toBeUndefined()
  })

  it("is not made where the text is not sure to come from the key", () => {
    expect(Frame.of('{"content":"Hi","content":"Hi"}', '"content":', read)).toBeUndefined()
    expect(Frame.of('{"content":"Hi","choices":[{"delta":{"content" :"Hi"}}]}', '"content":', read)).toBeUndefined()
    expect(Frame.of('{"choices":[{"delta":{"content":["Hi"]}}]}', '"content":', read)).toBeUndefined()
    expect(Frame.of('{"a":"Hi"}', '"content":', read)).toBeUndefined()
  })

  it("is proved by the place alone, whatever else has the same name", () => {
    const both = '{"choices":[{"delta":{"content":"Hi"},"logprobs":{"content":[]}}]}'
    expect(Frame.of(both, '"content":', read)?.match(`data: ${both}\n\n`, 0)).toBe("Hi")
  })

  it("takes every character of the bytes around it for itself", () => {
    const odd = '{"model":"a.b*c+d?(e)[f]{g}|h^$i/j\\\\k","choices":[{"delta":{"content": "Hi"}}]}'
    const other = Frame.of(odd, '"content":', read) as Frame
    expect(other.match(`data: ${odd}\n\n`, 0)).toBe("Hi")
    expect(other.match(`data: ${odd.replace("a.b", "axb")}\n\n`, 0)).toBeUndefined()
  })

  it("bears a text of a million characters", () => {
    const long = "x\\n".repeat(400_000)
    expect(match(`data: {"choices":[{"delta":{"content":"${long}"}}]}\n\n`)?.length).toBe(800_000)
    expect(match(`data: {"choices":[{"delta":{"content":"${long}"}}]} \n\n`)).toBeUndefined()
  })
})
