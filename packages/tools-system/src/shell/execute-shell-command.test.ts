import { readdirSync } from "node:fs"
import { textOf } from "@agentscope-ts/message"
import { Toolkit } from "@agentscope-ts/tool"
import { afterEach, describe, expect, it, vi } from "vitest"
import { bashTool } from "../claude/bash.ts"
import { callTool } from "../fixtures/call-tool.ts"
import { TempFolder } from "../fixtures/temp-folder.ts"
import { executePythonCode } from "./execute-python-code.ts"
import { executeShellCommand } from "./execute-shell-command.ts"

afterEach(() => vi.unstubAllEnvs())

describe("execute_shell_command", () => {
  it("answers as the original does, and with a value for programs", async () => {
    const result = await callTool(executeShellCommand(), { command: "echo out; echo err >&2; exit 3" })
    expect(textOf(result)).toBe("<returncode>3</returncode><stdout>out\n</stdout><stderr>err</stderr>")
    expect(result).toMatchObject({
      state: "success",
      structured: { returncode: 3, stdout: "out\n", stderr: "err\n".trim(), timedOut: false },
    })
    expect(await executeShellCommand().run({ command: "echo a" })).toEqual({
      returncode: 0,
      stdout: "a\n",
      stderr: "",
      timedOut: false,
    })
  })

  it("keeps what there was when the time is up", async () => {
    const result = await callTool(executeShellCommand(), { command: "echo before; sleep 30", timeout: 0.3 })
    expect(result.state).toBe("error")
    expect(textOf(result)).toBe(
      "<returncode>-1</returncode><stdout>before\n</stdout><stderr>TimeoutError: The command execution exceeded the timeout of 0.3 seconds.</stderr>",
    )
  })

  it("keeps what there was when it is interrupted", async () => {
    const toolkit = new Toolkit({ tools: [executeShellCommand()] })
    const run = toolkit.execute(
      { type: "tool_use", id: "c1", name: "execute_shell_command", input: { command: "echo before; sleep 30" } },
      { approval: { mode: "bypass" } },
    )
    for await (const chunk of run) {
      expect(chunk).toMatchObject({ type: "output", data: { text: "before\n" } })
      break
    }
    const result = await run.result
    expect(result.state).toBe("interrupted")
    expect(textOf(result)).toContain("before")
  })

  it("runs in its folder, with its variables and without the program's secrets", async () => {
    vi.stubEnv("SOME_API_KEY", "secret-value")
    const folder = new TempFolder({ "here.txt": "x" })
    const tool = executeShellCommand({ cwd: folder.path, env: { GIVEN_TOKEN: "given" } })
    const { stdout } = await tool.run({ command: "ls; env" })
    expect(stdout).toContain("here.txt\n")
    expect(stdout).toContain("GIVEN_TOKEN=given")
    expect(stdout).not.toContain("secret-value")
  })

  it("says what it ended and what is wrong", async () => {
    expect(textOf(await callTool(executeShellCommand(), { command: "sleep 60 & echo x" }))).toContain(
      "Note: 1 process still running in the background ended with the command.",
    )
    const result = await callTool(executeShellCommand({ cwd: "/no/such/folder" }), { command: "ls" })
    expect(result.state).toBe("error")
    expect(textOf(result)).toContain("the working folder does not exist")
    expect((await callTool(executeShellCommand(), { command: "ls", timeout: 5000 })).state).toBe("error")
    expect((await callTool(executeShellCommand(), { command: "" })).state).toBe("error")
  })

  it("keeps all of a long output in a file, and leaves none for a short one", async () => {
    const folder = new TempFolder({ a: "" })
    const tool = executeShellCommand({ cwd: folder.path, outputFolder: folder.at("out") })
    await callTool(tool, { command: "echo short" })
    const text = textOf(await callTool(tool, { command: "echo first; seq 100000; echo last >&2" }))
    const [name] = readdirSync(folder.at("out"))
    expect(text).toContain(`last\nNote: All of the output is in ${folder.at(`out/${name}`)}.`)
    expect(readdirSync(folder.at("out"))).toHaveLength(1)
    const kept = folder.read(`out/${name}`).replace("last\n", "")
    expect(kept).toBe(`first\n${Array.from({ length: 100_000 }, (_, i) => `${i + 1}\n`).join("")}`)
    // a folder that cannot be made is no failure of the command
    const odd = executeShellCommand({ outputFolder: folder.at("a/b") })
    expect((await callTool(odd, { command: "seq 100000" })).state).toBe("success")
  })

  it("needs a shell, and says so", async () => {
    vi.stubEnv("PATH", "/no/such/folder")
    const result = await callTool(executeShellCommand(), { command: "ls" })
    expect(textOf(result)).toMatch(/neither bash nor sh on PATH/)
    // without bash to run it, nothing that only bash reads so is proven
    expect((await callTool(executeShellCommand(), { command: "ls" }, {})).state).toBe("error")
    expect((await callTool(executeShellCommand(), { command: "[[ -f a ]]" }, {})).state).toBe("suspended")
  })
})

describe("the approval of a shell command", () => {
  const states = async (command: string, policy: object) =>
    (await callTool(executeShellCommand({ cwd: new TempFolder({ a: "" }).path }), { command }, policy)).state

  it("is asked unless the command only reads, in every mode its own way", async () => {
    expect(await states("cat a", {})).toBe("success")
    expect(await states("touch b", {})).toBe("suspended")
    expect(await states("touch b", { mode: "accept_edits" })).toBe("suspended")
    expect(await states("touch b", { mode: "never_ask" })).toBe("denied")
    expect(await states("cat a", { mode: "read_only" })).toBe("denied")
    expect(await states("touch b", { mode: "bypass" })).toBe("success")
  })

  it("follows the operator's rules, all of a line for what allows and any of it for what denies", async () => {
    const policy = { deny: ["execute_shell_command(rm:*)"], allow: ["execute_shell_command(touch:*)"] }
    expect(await states("touch b", policy)).toBe("success")
    expect(await states("touch b && cat a", policy)).toBe("success")
    expect(await states("touch b && mkdir c", policy)).toBe("suspended")
    const both = { ...policy, allow: [...policy.allow, "execute_shell_command(mkdir:*)"] }
    expect(await states("touch b && mkdir c", both)).toBe("success")
    expect(await states("touch b && mkdir c && chmod +x b", both)).toBe("suspended")
    expect(await states("touch b && rm b", policy)).toBe("denied")
    expect(await states("touch $(rm b)", policy)).toBe("denied")
    expect(await states("touch b", { ...policy, ask: ["execute_shell_command(touch:*)"] })).toBe("suspended")
    expect(await states('touch "b', { ...policy, mode: "bypass" })).toBe("denied")
  })

  it("offers a rule that then allows the command", async () => {
    const tool = executeShellCommand({ cwd: new TempFolder().path })
    const result = await callTool(tool, { command: "mkdir a && touch a/b" }, {})
    const pending = result.metadata?.["pending"] as { suggestedRules: string[] }
    expect(pending.suggestedRules).toEqual(["execute_shell_command(mkdir:*, touch:*)"])
    expect((await callTool(tool, { command: "touch c" }, { allow: pending.suggestedRules })).state).toBe("success")
    expect((await callTool(tool, { command: "touch c; rm c" }, { allow: pending.suggestedRules })).state).toBe(
      "suspended",
    )
  })
})

describe("a callback that approves", () => {
  const scene = (approve: (command: string) => boolean | Promise<boolean>) => {
    const asked: string[] = []
    const tool = executeShellCommand({
      cwd: new TempFolder({ a: "" }).path,
      allow: ["touch"],
      approve: (command) => {
        asked.push(command)
        return approve(command)
      },
    })
    return { tool, asked }
  }

  it("stands for the person: yes runs the command, no refuses it, and nothing waits", async () => {
    const { tool, asked } = scene((command) => command.startsWith("mkdir"))
    expect((await callTool(tool, { command: "mkdir b" }, {})).state).toBe("success")
    const refused = await callTool(tool, { command: "chmod 600 a" }, {})
    expect(refused.state).toBe("denied")
    expect(textOf(refused)).toMatch(/^<returncode>-1<\/returncode><stdout><\/stdout><stderr>SecurityError: /)
    expect(asked).toEqual(["mkdir b", "chmod 600 a"])
  })

  it("is not asked about what is allowed, only reads, or is forbidden", async () => {
    const { tool, asked } = scene(() => true)
    await callTool(tool, { command: "touch b && cat a" }, {})
    await callTool(tool, { command: "mkdir c" }, { allow: ["execute_shell_command(mkdir:*)"] })
    expect((await callTool(tool, { command: "rm a" }, { deny: ["execute_shell_command(rm:*)"] })).state).toBe("denied")
    expect(asked).toEqual([])
  })

  it("has not said yes when it fails or answers anything else", async () => {
    const failing = scene(() => Promise.reject(new RangeError("no terminal")))
    const odd = scene(() => "yes" as never)
    for (const { tool } of [failing, odd]) {
      expect((await callTool(tool, { command: "chmod 600 a" }, {})).state).toBe("denied")
    }
  })
})

describe("Bash", () => {
  it("answers as a terminal does", async () => {
    expect(textOf(await callTool(bashTool(), { command: "echo out; echo err >&2" }))).toBe("out\nerr")
    expect(textOf(await callTool(bashTool(), { command: "true" }))).toBe("(no output)")
    const failed = await callTool(bashTool(), { command: "echo out; exit 2", description: "Fail" })
    expect(failed).toMatchObject({ state: "error", structured: { returncode: 2 } })
    expect(textOf(failed)).toBe("out\nExit code 2")
    expect(textOf(await callTool(bashTool(), { command: "sleep 30", timeout: 200 }))).toBe(
      "TimeoutError: The command execution exceeded the timeout of 0.2 seconds.",
    )
  })

  it("gives 30 000 characters at most", async () => {
    const text = textOf(await callTool(bashTool(), { command: "head -c 90000 /dev/zero | tr '\\0' x" }))
    expect(text.length).toBeLessThan(30_100)
    expect(text).toContain("bytes cut here")
  })

  it("asks as execute_shell_command does", async () => {
    const tool = bashTool({ cwd: new TempFolder().path, allow: ["touch"] })
    expect((await callTool(tool, { command: "ls && touch a" }, {})).state).toBe("success")
    expect((await callTool(tool, { command: "mkdir a" }, {})).state).toBe("suspended")
  })
})

describe("execute_python_code", () => {
  it.runIf(process.env["PATH"]?.includes("python") === true || process.platform === "linux")(
    "runs code that it reads, and leaves nothing behind",
    async () => {
      const folder = new TempFolder({ "local.py": "value = 'from the folder'" })
      const tool = executePythonCode({ cwd: folder.path, env: { GIVEN: "x" } })
      const code =
        "import local, os, sys\nprint(local.value, os.environ['GIVEN'], 'ü你')\nprint('err', file=sys.stderr)\nsys.exit(4)"
      const result = await callTool(tool, { code })
      if (textOf(result).includes("no python3 on PATH")) return
      expect(textOf(result)).toBe(
        "<returncode>4</returncode><stdout>from the folder x ü你\n</stdout><stderr>err</stderr>",
      )
      expect(textOf(await callTool(tool, { code: "print(1)\n1/0" }))).toMatch(
        /<stdout>1\n<\/stdout><stderr>Traceback[\s\S]*line 2[\s\S]*ZeroDivisionError/,
      )
      expect(textOf(await callTool(tool, { code: "import time\nprint('a')\ntime.sleep(30)", timeout: 0.7 }))).toContain(
        "TimeoutError: The code execution exceeded the timeout of 0.7 seconds.",
      )
    },
  )

  it("always asks, and says when there is no Python", async () => {
    expect((await callTool(executePythonCode(), { code: "print(1)" }, {})).state).toBe("suspended")
    vi.stubEnv("PATH", "/no/such/folder")
    const result = await callTool(executePythonCode(), { code: "print(1)" })
    expect(result.state).toBe("error")
    expect(textOf(result)).toMatch(/no python3 on PATH/)
  })
})
