import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { textOf } from "@agentscope-ts/message"
import type { AnyTool } from "@agentscope-ts/tool"
import { describe, expect, it } from "vitest"
import { fileTools } from "../file-tools.ts"
import { callTool } from "../fixtures/call-tool.ts"
import { TempFolder } from "../fixtures/temp-folder.ts"
import { ShellJobs } from "../shell/shell-jobs.ts"
import { bashTool } from "./bash.ts"

/** Processes whose environment holds a text. */
function processesWith(mark: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, "latin1").includes(mark)
    } catch {
      return false
    }
  })
}

const until = async (test: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await test())) await new Promise((resolve) => setImmediate(resolve))
}

function scene(jobs: ShellJobs) {
  const folder = new TempFolder({ f: "a" })
  const tools = new Map(
    fileTools({ root: folder.path, style: "claude", jobs }).map((tool): [string, AnyTool] => [tool.name, tool]),
  )
  return { folder, call: (name: string, input: object) => callTool(tools.get(name) as AnyTool, input) }
}

describe("commands in the background", () => {
  it("start at once, are read piece by piece and tell how they ended", async () => {
    await using jobs = new ShellJobs()
    const { call, folder } = scene(jobs)
    const started = await call("Bash", {
      command: "echo one; echo err >&2; until test -e go; do sleep 0.02; done; echo two; exit 3",
      run_in_background: true,
    })
    expect(textOf(started)).toBe("The command runs in the background as bash_1. Read its output with BashOutput.")
    let seen = ""
    const look = async (): Promise<string> => {
      const text = textOf(await call("BashOutput", { bash_id: "bash_1" }))
      seen += /<output>([\s\S]*)<\/output>/.exec(text)?.[1] ?? ""
      return text
    }
    await until(async () => (await look()) !== "" && seen.includes("one") && seen.includes("err"))
    expect(await look()).toBe("<status>running</status><output></output>")
    folder.write("go", "")
    await until(async () => (await look()).includes("ended"))
    expect(seen.replace("err\n", "")).toBe("one\ntwo\n")
    expect(await look()).toBe("<status>ended</status><returncode>3</returncode><output></output>")
  })

  it("are ended with all they started, by name, and at the end of the holder", async () => {
    const jobs = new ShellJobs()
    const tag = `JOBS_TAG_${process.pid}=${Math.random()}`
    const [name = "", value = ""] = tag.split("=")
    const bash = bashTool({ jobs, env: { [name]: value } })
    const { call } = scene(jobs)
    for (let i = 0; i < 2; i++)
      await callTool(bash, { command: "echo up; sleep 60 & setsid sleep 61; sleep 62", run_in_background: true })
    await until(() => processesWith(tag).length >= 6)
    const killed = await call("KillShell", { shell_id: "bash_1" })
    expect(textOf(killed)).toMatch(/<status>killed<\/status><returncode>-15<\/returncode><output>up\n<\/output>/)
    expect(processesWith(tag).length).toBe(3)
    expect(jobs.running).toBe(1)
    await jobs.close()
    expect(processesWith(tag)).toEqual([])
    expect(textOf(await callTool(bash, { command: "ls", run_in_background: true }))).toContain("closed")
  })

  it("are bounded in number and output, and unknown ones are said to be", async () => {
    await using jobs = new ShellJobs({ maxRunning: 2, maxOutputBytes: 1000 })
    const { call } = scene(jobs)
    const start = (command: string) => call("Bash", { command, run_in_background: true })
    await start("yes | head -c 100000000; touch done; sleep 60")
    await start("sleep 60")
    expect(textOf(await start("sleep 60"))).toContain("2 commands run in the background, and no more may")
    const { folder } = scene(jobs)
    await until(() => folder !== undefined && jobs.running === 2)
    let text = ""
    await until(async () => {
      text = textOf(await call("BashOutput", { bash_id: "bash_1" }))
      return text.includes("bytes cut here")
    })
    expect(text.length).toBeLessThan(1200)
    expect(textOf(await call("BashOutput", { bash_id: "bash_9" }))).toContain("There are: bash_1, bash_2.")
    expect(() => jobs.read("bash_1", "another agent")).toThrow(/None was started/)
  })

  it("ask for approval as others do, and are no argument where nothing holds them", async () => {
    await using jobs = new ShellJobs()
    const input = { command: "sleep 60", run_in_background: true }
    const touch = { command: "touch x", run_in_background: true }
    expect((await callTool(bashTool({ jobs }), touch, {})).state).toBe("suspended")
    expect(jobs.running).toBe(0)
    expect(bashTool().schema.parameters).not.toHaveProperty("properties.run_in_background")
    expect((await callTool(bashTool({ jobs }), input, {})).state).toBe("success")
  })

  it("end with the program that started them, which they do not keep alive", async () => {
    const host = fileURLToPath(new URL("../fixtures/jobs-host.ts", import.meta.url))
    const tag = `host-${process.pid}-${Math.random()}`
    const child = spawn(process.execPath, ["--conditions=@agentscope-ts/source", host, tag], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    let said = ""
    child.stdout.on("data", (chunk: Buffer) => (said += String(chunk)))
    const [code] = (await once(child, "close")) as [number]
    expect([code, said]).toEqual([0, "started\n"])
    await until(() => processesWith(`TAG=${tag}`).length === 0)
  })
})
