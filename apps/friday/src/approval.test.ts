import type { PendingCall } from "@agentscope-ts/message"
import { describe, expect, it } from "vitest"
import { Asking, denyUnasked } from "./approval.ts"
import { paper } from "./fixtures/paper.ts"
import type { AskOptions, LineInput, Typed } from "./terminal/line-input.ts"

const call: PendingCall = {
  toolUse: { type: "tool_use", id: "1", name: "sh", input: { command: "rm x", timeout: 5 } },
  kind: "approval",
  digest: "d",
  suggestedRules: ["sh(rm:*)"],
}

/** A person who types these things, one for each question. */
function person(...answers: readonly (string | Typed)[]) {
  const asked: { prompt: string; options: AskOptions | undefined }[] = []
  const left = [...answers]
  const ask = (prompt: string, options?: AskOptions): Promise<Typed> => {
    asked.push({ prompt, options })
    const next = left.shift()
    if (next === undefined) throw new RangeError("asked once too often")
    return Promise.resolve(typeof next === "string" ? { type: "line", text: next } : next)
  }
  return { input: { ask } as unknown as LineInput, asked, left }
}
const decide = (answers: readonly (string | Typed)[], pending: PendingCall = call) =>
  new Asking(person(...answers).input, paper({ columns: 80 })).decide(pending)

describe("asking a person", () => {
  it.each(["y", "Yes", " y "])("runs the call on %j", async (answer) => {
    expect(await decide([answer])).toEqual({ toolUseId: "1", digest: "d", decision: "approve" })
  })

  it("remembers the rules that were offered on always, and only where some were", async () => {
    expect(await decide(["a"])).toMatchObject({ decision: "approve", remember: ["sh(rm:*)"] })
    const { suggestedRules: _, ...bare } = call
    expect(await decide(["always", "n"], bare)).toMatchObject({ decision: "deny" })
  })

  it("refuses with the reason that follows", async () => {
    expect(await decide(["no"])).toMatchObject({ decision: "deny", reason: "the person said no" })
    expect(await decide(["n use trash instead"])).toMatchObject({ reason: "the person said no: use trash instead" })
  })

  it("asks again for anything else, an empty line too", async () => {
    expect(await decide(["", "what?", "yesterday", "y\nrm x", "a b", "y"])).toMatchObject({ decision: "approve" })
  })

  it("edits the command in place and leaves the rest", async () => {
    const { input, asked } = person("e", "rm -i x")
    const approval = await new Asking(input, paper()).decide(call)
    expect(asked[1]?.options).toEqual({ prefill: "rm x", fresh: true })
    expect(approval).toMatchObject({ decision: "approve", input: { command: "rm -i x", timeout: 5 } })
  })

  it("edits what is no single line as JSON, and asks again when it is none", async () => {
    const write: PendingCall = { ...call, toolUse: { ...call.toolUse, input: { path: "a", content: "x\ny" } } }
    expect(await decide(["e", '{"path":"b"}'], write)).toMatchObject({ input: { path: "b" } })
    expect(await decide(["e", "[1]", "e", "{broken", "e", "", "n"], write)).toMatchObject({ decision: "deny" })
  })

  it("stops the turn on Ctrl-C, while editing too, and refuses when the person is gone", async () => {
    const interrupt: Typed = { type: "interrupt", empty: true }
    expect(await decide([interrupt])).toBeUndefined()
    expect(await decide(["e", interrupt])).toBeUndefined()
    expect(await decide([{ type: "end" }])).toMatchObject({ decision: "deny" })
  })

  it("takes only what is typed after the question was shown", async () => {
    const { input, asked } = person("y")
    const page = paper({ columns: 80 })
    await new Asking(input, page).decide(call)
    expect(asked[0]?.options).toEqual({ fresh: true })
    expect(page.text).toBe("▲ sh wants to run:\n    $ rm x\n    timeout: 5\n")
  })
})

describe("with nobody to ask", () => {
  it("refuses and says which flag would let it run", async () => {
    expect(await denyUnasked(call)).toMatchObject({
      decision: "deny",
      reason: expect.stringContaining("--allow 'sh(rm:*)' or --yes") as string,
    })
    expect(await denyUnasked({ ...call, suggestedRules: ["sh(echo 'x')"] })).toMatchObject({
      reason: expect.stringContaining("--allow 'sh(echo '\\''x'\\'')'") as string,
    })
    const both = { ...call, suggestedRules: ["sh(a:*)", "sh(b:*)"] }
    expect((await denyUnasked(both))?.reason).toContain("--allow 'sh(a:*)' --allow 'sh(b:*)' or --yes")
    const unseen = { ...call, suggestedRules: ["sh(a\u001b\u200b:*)"] }
    expect((await denyUnasked(unseen))?.reason).toContain("--allow 'sh(a\\u{1b}\\u{200b}:*)'")
    const { suggestedRules: _, ...bare } = call
    expect(await denyUnasked(bare)).toMatchObject({
      reason: expect.stringContaining("--yes would let it run") as string,
    })
  })
})
