import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterEach, beforeEach, describe, expect, test } from "vitest"

const program = fileURLToPath(new URL("../fixtures/hiring.ts", import.meta.url))
let dir = ""
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "hiring-"))
})
afterEach(() => rmSync(dir, { recursive: true }))

/** What one process of the conversation did. */
async function run(...args: string[]): Promise<unknown> {
  const flags = ["--conditions=@agentscope-ts/source", program, ...args]
  const env = { ...process.env, NODE_NO_WARNINGS: "1" }
  const { stdout } = await promisify(execFile)(process.execPath, flags, { env })
  return JSON.parse(stdout)
}

describe.each(["json", "sqlite"])("a conversation that is kept in %s goes on in another process", (kind) => {
  test("with approvals, external calls and suspensions that wait, answered in parts, and remembered rules", async () => {
    expect(await run(kind, dir, "begin")).toEqual({
      finishReason: "approval_required",
      pending: ["ask_expert: external", "offer: approval", "lookup: external fetched by night", "offer: approval"],
      ran: [],
      results: [],
    })
    expect(await run(kind, dir, "answer some")).toEqual({
      finishReason: "approval_required",
      pending: ["lookup: external fetched by night", "offer: approval"],
      ran: ["offered 50"],
      results: [],
    })
    // the rest, and an offer that the remembered rule lets pass
    expect(await run(kind, dir, "answer the rest")).toEqual({
      finishReason: "completed",
      pending: [],
      ran: ["offered 60"],
      results: [
        "success: Strongly.",
        "success: offered 50",
        'success: {"grade":7}',
        expect.stringMatching(/^denied: .*too much/),
        "success: offered 60",
      ],
    })
  })

  test("and asks again for what was approved or remembered for a tool that has changed since", async () => {
    await run(kind, dir, "begin")
    expect(await run(kind, dir, "answer some", "Make an offer, whatever was said")).toMatchObject({
      finishReason: "approval_required",
      pending: [
        expect.stringMatching(/^offer: approval .*the tool has changed/),
        "lookup: external fetched by night",
        "offer: approval",
      ],
      ran: [],
    })
    // nor was the rule remembered for what the tool has become
    const changed = run(kind, dir, "answer the rest", "Make an offer, whatever was said")
    expect(await changed).toMatchObject({ finishReason: "approval_required", pending: ["offer: approval"], ran: [] })
  })
})
