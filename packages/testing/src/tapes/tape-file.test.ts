import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { AgentScopeError } from "@agentscope-ts/message"
import { postJson } from "@agentscope-ts/model/wire"
import { describe, expect, it } from "vitest"
import { recordTape, replayTape } from "../index.ts"
import { codeOf, echo, failureOf, linesOf, newFile, nowhere, serve, folder } from "../fixtures/tape-runs.ts"

describe("the file", () => {
  const record = async (file: string) => {
    await using server = await serve(echo)
    await recordTape(file, () => postJson(`${server.url}/v1`, { n: 1 }))
  }
  const replay = (file: string) => replayTape(file, () => postJson(`${nowhere}/v1`, { n: 1 }))

  it("that is not there says how it is recorded", async () => {
    const { code, message } = await failureOf(replay(join(folder, "none.jsonl")))
    expect(code).toBe("tape_missing")
    expect(message).toContain("recordTape(")
  })

  it.each([
    ["empty", () => "", "it is empty"],
    ["another file", () => "hello\n", "its first line is no JSON"],
    ["of another version", (text: string) => text.replace('"tape":1', '"tape":7'), "version 7"],
    ["cut in a line", (text: string) => text.slice(0, text.length / 2), "it breaks off in line"],
    ["cut between lines", (text: string) => text.split("\n").slice(0, 3).join("\n"), "it breaks off"],
    ["missing a line", (text: string) => text.split("\n").toSpliced(2, 1).join("\n"), "a line is missing"],
    ["with a word that is none", (text: string) => text.replace('"type":"request"', '"type":"requist"'), "requist"],
    ["with a status that is none", (text: string) => text.replace('"status":200', '"status":"2"'), "status"],
  ])("that is %s cannot be used, and says why", async (_name, damage, why) => {
    const file = newFile()
    await record(file)
    writeFileSync(file, damage(readFileSync(file, "utf8")))
    const { code, message } = await failureOf(replay(file))
    expect(code).toBe("invalid_tape")
    expect(message).toContain(why)
    expect(message).toContain(file)
  })

  it("with any byte changed is refused, diverges, or gives what the byte says: nothing hangs and nothing else is thrown", async () => {
    const file = newFile()
    await record(file)
    const text = readFileSync(file, "utf8")
    for (let at = 0; at < text.length; at += 7) {
      const byte = text[at] === "1" ? "2" : "1"
      writeFileSync(file, text.slice(0, at) + byte + text.slice(at + 1))
      const outcome: unknown = await replay(file).catch((error: unknown) => error)
      if (outcome instanceof Error) expect(AgentScopeError.is(outcome), `${at}: ${outcome.stack}`).toBe(true)
    }
  })

  it("of a run that fails is kept beside it, says so, and leaves the old one as it was", async () => {
    const file = newFile()
    await record(file)
    const before = readFileSync(file, "utf8")
    const own = new RangeError("mine")
    const fails = (url: string) => async () => {
      await postJson(`${url}/v1`, { n: 2 })
      throw own
    }
    {
      await using server = await serve(echo)
      await expect(recordTape(file, fails(server.url))).rejects.toBe(own)
    }
    expect(readFileSync(file, "utf8")).toBe(before)
    const failed = file.replace(".jsonl", ".failed.jsonl")
    expect(linesOf(failed).at(-1)).toMatchObject({
      type: "end",
      outcome: "threw",
      error: { name: "RangeError", message: "mine" },
    })
    await expect(replayTape(failed, fails(nowhere))).rejects.toBe(own)
    const { message } = await failureOf(replayTape(failed, () => postJson(`${nowhere}/v1`, { n: 2 })))
    expect(message).toContain("the run fails with RangeError: mine")
    await record(file)
    expect(existsSync(failed)).toBe(false)
  })

  it("that cannot be written is told before the run, or leaves what is there", async () => {
    const taken = newFile()
    writeFileSync(taken, "a file")
    let ran = false
    const { code } = await failureOf(recordTape(join(taken, "below.jsonl"), () => void (ran = true)))
    expect([code, ran]).toEqual(["tape_not_written", false])
    const gone = mkdtempSync(join(folder, "gone-"))
    const error = await failureOf(recordTape(join(gone, "x.jsonl"), () => rmSync(gone, { recursive: true })))
    expect(error.code).toBe("tape_not_written")
    expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([])
  })

  it("has no secret that the run sent, wherever it comes back", async () => {
    const file = newFile()
    const secret = "hunter2-of-the-house"
    await using server = await serve((_, response) => {
      response.writeHead(401, { "set-cookie": "session=cookie-value-1", "x-api-key": secret })
      response.write(`{"error":{"message":"bad key ${secret.slice(0, 9)}`)
      setTimeout(() => response.end(`${secret.slice(9)}"}}`), 20)
    })
    const run = () =>
      postJson(`${server.url}/v1?api_key=${secret}x&a=1`, { note: secret }, { headers: { "x-api-key": secret } }).catch(
        codeOf,
      )
    const first = await recordTape(file, run)
    expect(readFileSync(file, "utf8")).not.toMatch(/hunter2|cookie-value/)
    expect(await replayTape(file, run)).toBe(first)
  })
})
