import { spawn } from "node:child_process"
import { getEventListeners } from "node:events"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { TempFolder } from "../fixtures/temp-folder.ts"
import { findProgram } from "./find-program.ts"
import { type ProcessRequest, startProcess } from "./run-process.ts"
import { streamProcess } from "./stream-process.ts"

const linux = process.platform === "linux"

/** A script of the shell; every script of a test carries its `tag`, by which what is left of it is found. */
function script(command: string, more: Partial<ProcessRequest> = {}): ProcessRequest {
  return {
    file: "/bin/sh",
    args: ["-c", command],
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "" },
    timeoutMs: 15_000,
    maxOutputBytes: 10_000,
    signal: new AbortController().signal,
    ...more,
  }
}
const run = (command: string, more: Partial<ProcessRequest> = {}) => startProcess(script(command, more)).outcome

/** Processes that still run (dead ones that nobody collected do not) and whose environment or arguments have the text. */
function living(text: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
      if (/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2))) return false
      return (
        readFileSync(`/proc/${pid}/environ`, "latin1").includes(text) ||
        readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(text)
      )
    } catch {
      return false
    }
  })
}
const until = async (check: () => boolean): Promise<boolean> => {
  for (let i = 0; i < 200 && !check(); i++) await new Promise((resolve) => setTimeout(resolve, 25))
  return check()
}
let count = 0
const newTag = (): string => `run-process-test-${process.pid}-${count++}`

describe("running a program", () => {
  it("gives its code and both outputs", async () => {
    expect(await run("echo out; echo err >&2; exit 3")).toEqual({
      returncode: 3,
      stdout: "out\n",
      stderr: "err\n",
      timedOut: false,
      isCut: false,
      leftBehind: 0,
    })
  })

  it("gives the negative number of the signal that ended it", async () => {
    expect((await run("kill -TERM $$")).returncode).toBe(-15)
    expect((await run("kill -KILL $$")).returncode).toBe(-9)
  })

  it("gives it no input, or the one it should read", async () => {
    expect((await run("cat; echo end")).stdout).toBe("end\n")
    expect((await run("cat", { input: "你好".repeat(100_000), maxOutputBytes: 1e6 })).stdout).toBe(
      "你好".repeat(100_000),
    )
    // what it does not read is no error
    expect((await run("exec 0<&-; echo done", { input: "x".repeat(1_000_000) })).stdout).toBe("done\n")
  })

  it("reads output of any size without a deadlock, and keeps its start and end", async () => {
    const before = process.memoryUsage().rss
    const { stdout, stderr } = await run(
      "echo first; head -c 100000000 /dev/zero | tr '\\0' x; echo last; head -c 3000000 /dev/zero | tr '\\0' y >&2",
    )
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000)
    expect(stdout.startsWith("first\nxxx")).toBe(true)
    expect(stdout.endsWith("xxxlast\n")).toBe(true)
    expect(stdout).toContain("bytes cut here")
    expect(stdout.length).toBeLessThan(10_100)
    expect(stderr.length).toBeLessThan(10_100)
  })

  it("says why it cannot be started", async () => {
    await expect(run("true", { cwd: "/no/such/folder" })).rejects.toMatchObject({
      code: "spawn_failed",
      message: expect.stringContaining("working folder") as string,
    })
    await expect(run("true", { file: "/no/such/program" })).rejects.toMatchObject({
      code: "spawn_failed",
      message: expect.stringContaining("/no/such/program") as string,
    })
    await expect(run("a\0b")).rejects.toMatchObject({ code: "spawn_failed" })
    await expect(run("true", { signal: AbortSignal.abort(new Error("no")) })).rejects.toThrow("no")
  })

  it("finds programs on PATH, never in a relative folder", () => {
    expect(findProgram(["no-such-program", "sh"])).toMatch(/\/sh$/)
    expect(findProgram(["no-such-program"])).toBeUndefined()
    const folder = new TempFolder({ "bin/sh": "not executable", "sub/x": "" })
    expect(findProgram(["sh"], folder.at("bin"))).toBeUndefined()
    expect(findProgram(["sh"], "./bin:bin:.")).toBeUndefined()
    expect(findProgram(["sub"], folder.path)).toBeUndefined()
  })
})

describe.runIf(linux)("nothing outlives a command", () => {
  it("when its time is up: the whole group goes, also what ignores SIGTERM and what left the group", async () => {
    const tag = newTag()
    const command = `trap '' TERM; sleep 70 & (trap '' TERM; sleep 71) & setsid sh -c 'trap "" TERM; sleep 72' & echo started; sleep 73`
    const start = performance.now()
    const outcome = await run(command, { timeoutMs: 300, env: { PATH: process.env["PATH"] ?? "", TAG: tag } })
    expect(outcome).toMatchObject({ returncode: -1, timedOut: true, stdout: "started\n" })
    expect(performance.now() - start).toBeLessThan(12_000)
    expect(living(tag)).toEqual([])
  })

  it("when it ends by itself: background processes that hold its outputs go with it, and do not hold it up", async () => {
    const tag = newTag()
    const env = { PATH: process.env["PATH"] ?? "", TAG: tag }
    expect(await run("sleep 70 & echo done", { env })).toMatchObject({ returncode: 0, stdout: "done\n", leftBehind: 1 })
    expect(await run("setsid sleep 70 & echo done; sleep 0.1", { env })).toMatchObject({
      returncode: 0,
      stdout: "done\n",
      leftBehind: 1,
    })
    expect(living(tag)).toEqual([])
  })

  it("when it is aborted", async () => {
    const tag = newTag()
    const controller = new AbortController()
    const outcome = run("sleep 70 & sleep 71", {
      signal: controller.signal,
      env: { PATH: process.env["PATH"] ?? "", TAG: tag },
    })
    expect(await until(() => living(tag).length >= 3)).toBe(true)
    controller.abort(new Error("enough"))
    await expect(outcome).rejects.toThrow("enough")
    expect(living(tag)).toEqual([])
  })

  it("when this program is killed itself", async () => {
    const tag = newTag()
    const host = spawn(
      process.execPath,
      ["--conditions=@agentscope-ts/source", fileURLToPath(new URL("../fixtures/run-host.ts", import.meta.url)), tag],
      { stdio: ["ignore", "pipe", "inherit"] },
    )
    await new Promise((resolve) => host.stdout.once("data", resolve))
    expect(await until(() => living(`TAG=${tag}`).length >= 2)).toBe(true)
    host.kill("SIGKILL")
    expect(await until(() => living(`TAG=${tag}`).length === 0)).toBe(true)
  })

  it("and no listener, file or guard is left either", async () => {
    const controller = new AbortController()
    const files = () => readdirSync("/proc/self/fd").length
    await run("true")
    const before = files()
    for (let i = 0; i < 12; i++) await run("echo x", { signal: controller.signal })
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0)
    expect(await until(() => files() <= before + 1)).toBe(true)
    const guards = () =>
      living("agentscope-guard").filter((pid) =>
        readFileSync(`/proc/${pid}/stat`, "latin1").includes(` ${process.pid} `),
      )
    expect(await until(() => guards().length === 0)).toBe(true)
  })
})

describe("output while a program runs", () => {
  const collect = async (request: ProcessRequest) => {
    const pieces: string[] = []
    const stream = streamProcess(request)
    for (;;) {
      const step = await stream.next()
      if (step.done) return { pieces, outcome: step.value }
      pieces.push(step.value)
    }
  }

  it("is yielded as it comes, up to the limit", async () => {
    const folder = new TempFolder()
    const stream = streamProcess(
      script(`echo one; while [ ! -e go ]; do sleep 0.02; done; echo two`, { cwd: folder.path }),
    )
    expect(await stream.next()).toEqual({ done: false, value: "one\n" })
    folder.write("go", "")
    expect(await stream.next()).toEqual({ done: false, value: "two\n" })
    expect(await stream.next()).toMatchObject({ done: true, value: { stdout: "one\ntwo\n" } })
    const { pieces } = await collect(script("head -c 100000 /dev/zero | tr '\\0' x", { maxOutputBytes: 500 }))
    expect(pieces.join("")).toBe(`${"x".repeat(500)}\n[more output follows, not shown while it runs]\n`)
  })

  it.runIf(linux)("ends the program when nobody listens any more", async () => {
    const tag = newTag()
    const stream = streamProcess(script("echo one; sleep 70", { env: { PATH: process.env["PATH"] ?? "", TAG: tag } }))
    await stream.next()
    await stream.return(undefined as never)
    expect(await until(() => living(tag).length === 0)).toBe(true)
  })

  it("fails as the program does", async () => {
    await expect(collect(script("true", { cwd: "/no/such/folder" }))).rejects.toMatchObject({ code: "spawn_failed" })
    expect(existsSync("/no")).toBe(false)
  })
})
