import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { stripVTControlCharacters } from "node:util"
import { describe, expect, it } from "vitest"

const root = join(dirname(fileURLToPath(import.meta.url)), "../..")
const hasTerminal =
  process.platform === "linux" &&
  spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux")

/** Without keys, and without an Ollama that may run here. */
const env = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/_API_KEY$|_BASE_URL$/.test(name))),
  OLLAMA_HOST: "127.0.0.1:1",
}

/** The command lines of all processes that hold this text. */
function processesWith(text: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")
        return line.includes(text) ? [line] : []
      } catch {
        return [] // it ended while we looked
      }
    })
}

/** `npm start` as a person starts it: on a terminal of its own, through npm and the bootstrap. */
function startOnTerminal(args: string) {
  const child = spawn("script", ["-qefc", `npm start --silent -- ${args}`, "/dev/null"], {
    cwd: root,
    env,
    detached: true,
  })
  let seen = ""
  let from = 0
  let wake = () => {}
  child.stdout.on("data", (chunk: Buffer) => {
    seen += stripVTControlCharacters(chunk.toString())
    wake()
  })
  const exit = new Promise<number | null>((resolve) => child.once("close", (status) => (resolve(status), wake())))
  return {
    exit,
    type: (keys: string) => child.stdin.write(keys),
    kill() {
      try {
        process.kill(-(child.pid as number), "SIGKILL")
      } catch {} // it has ended
    },
    async sees(text: string): Promise<void> {
      for (;;) {
        const at = seen.indexOf(text, from)
        if (at >= 0) {
          from = at + text.length
          return
        }
        expect(child.exitCode, `"${text}" was not shown:\n${seen}`).toBeNull()
        await new Promise<void>((resolve) => (wake = resolve))
      }
    },
  }
}

describe.skipIf(!hasTerminal)("npm start on a terminal", () => {
  it("gives Ctrl-C to the program: one ends the run, one at the prompt leaves, and nothing stays behind", async () => {
    const dir = mkdtempSync(join(tmpdir(), "agentscope-start-"))
    const seconds = `3${process.pid}.25`
    const friday = startOnTerminal(`--dir ${dir}`)
    try {
      await friday.sees("›")
      friday.type(`run \`sleep ${seconds}\`\r`)
      await friday.sees("[y]es")
      friday.type("y\r")
      await friday.sees("execute_shell_command")
      await expect.poll(() => processesWith(`sleep ${seconds}`).length, { timeout: 10_000 }).toBeGreaterThan(0)
      friday.type("\x03")
      await friday.sees("nterrupted")
      await friday.sees("›")
      await expect.poll(() => processesWith(`sleep ${seconds}`)).toEqual([])
      friday.type("\x03")
      expect(await friday.exit).toBe(0)
      await expect.poll(() => processesWith(dir)).toEqual([])
    } finally {
      friday.kill()
      rmSync(dir, { recursive: true, force: true })
    }
  }, 60_000)
})

describe("npm start off a terminal", () => {
  it("keeps stdout for the program's own lines", async () => {
    const dir = mkdtempSync(join(tmpdir(), "agentscope-start-"))
    const child = spawn("npm", ["start", "--silent", "--", "--dir", dir, "--json", "what is 6 * 7?"], {
      cwd: root,
      env,
    })
    let stdout = ""
    child.stdin.end()
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()))
    const status = await new Promise((resolve) => child.once("close", resolve))
    rmSync(dir, { recursive: true, force: true })
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string })
    expect(events[0]?.type).toBe("reply_start")
    expect(events.at(-1)?.type).toBe("reply_end")
    expect(status).toBe(0)
  }, 60_000)
})

describe("the bootstrap", () => {
  it("names the tasks there are when it is asked for another", () => {
    const done = spawnSync(process.execPath, [join(root, "tooling/bootstrap.mjs"), "fly"], { encoding: "utf8" })
    expect(done.status).toBe(2)
    expect(done.stdout).toBe("")
    expect(done.stderr).toContain('unknown task "fly": one of start, test')
  })

  it("passes the exit status of the task on", () => {
    const done = spawnSync("npm", ["start", "--silent", "--", "--no-such-option"], { cwd: root, encoding: "utf8" })
    expect(done.status).toBe(2)
  })
})
