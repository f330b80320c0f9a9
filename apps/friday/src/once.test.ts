import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { startOpenAIServer } from "./fixtures/openai-server.ts"
import { Workplace } from "./fixtures/running-friday.ts"

const place = () => {
  const work = new Workplace()
  writeFileSync(join(work.dir, "a.txt"), "one\ntwo\nthree\n")
  writeFileSync(join(work.dir, "README.md"), "# Demo\n\nhello\n")
  return work
}
const lines = (text: string) => text.split("\n").filter((line) => line !== "")

describe.concurrent("a question that is answered once", () => {
  it("gives the answer on stdout, what was done on stderr, and status 0", async () => {
    using work = place()
    const { status, stdout, stderr } = await work.run({
      args: ["list the files, then read README.md and compute 17*23"],
    })
    expect(stdout).toBe(
      "2 entries: README.md, a.txt.\n\nREADME.md (3 lines):\n```\n# Demo\n\nhello\n```\n\n17 * 23 = 391\n",
    )
    expect(stderr).toContain("● list_directory\n  │ The content of .:")
    expect(stderr).toContain("● view_text_file  README.md\n")
    expect(stderr).toContain("● calculate  17 * 23\n  │ 391\n")
    expect(stdout + stderr).not.toContain("\u001b")
    expect(status).toBe(0)
  })

  it("may come in several words, or on standard input, or both", async () => {
    using work = place()
    const [words, piped, both] = await Promise.all([
      work.run({ args: ["compute", "2", "+", "3"] }),
      work.run({ input: "compute 2 + 4\n" }),
      work.run({ args: ["count the words in a.txt", "-"], input: "; compute 2 + 5" }),
    ])
    expect(words.stdout).toBe("2 + 3 = 5\n")
    expect(piped.stdout).toBe("2 + 4 = 6\n")
    expect(both.stdout).toBe("a.txt has 3 words.\n2 + 5 = 7\n")
  })

  it("is told that the Ollama does not answer whose place was given, before rules answer", async () => {
    using work = place()
    const env = { OLLAMA_HOST: "127.0.0.1:1" }
    const { status, stdout, stderr } = await work.run({ args: ["--json", "compute 2+3"], env })
    expect(stderr).toMatch(/^friday: No Ollama answers at 127\.0\.0\.1:1 \(OLLAMA_HOST\), so plain rules answer\./)
    for (const line of lines(stdout)) expect(() => void JSON.parse(line)).not.toThrow()
    expect(status).toBe(0)
    const asked = await work.run({ args: ["--model", "offline", "compute 2+3"], env })
    expect(asked.stderr).not.toContain("Ollama")
  })

  it("takes another folder, and none outside it", async () => {
    using work = place()
    mkdirSync(join(work.dir, "sub"))
    writeFileSync(join(work.dir, "sub", "b.txt"), "inside")
    const [inside, outside] = await Promise.all([
      work.run({ args: ["--dir", "sub", "list the files"] }),
      work.run({ args: ["--dir", "sub", "read ../a.txt"] }),
    ])
    expect(inside.stdout).toBe("1 entry: b.txt.\n")
    expect(outside.stdout).toContain("I could not read ../a.txt.")
    expect(outside.stdout).not.toContain("two")
  })

  it("runs nothing that would ask, and the answer says so", async () => {
    using work = place()
    const { status, stdout, stderr } = await work.run({ args: ["run `touch made && ls`"] })
    expect(existsSync(join(work.dir, "made"))).toBe(false)
    expect(stdout).toContain(
      "I did not run `touch made && ls`: it was not allowed. (it needs an approval, and there is no terminal to ask on.",
    )
    expect(stdout).toMatch(/--allow 'execute_shell_command\(touch:\*.*' or --yes would let it run/u)
    expect(stdout).toContain("Not run, because there is no terminal to ask on: execute_shell_command.")
    expect(stderr).toContain("● execute_shell_command  touch made && ls\n  │ not run: it needs an approval")
    expect(status).toBe(0)
  })

  it("asks for commands that only read, for Python and for writes alike", async () => {
    using work = place()
    const requests = ["run `ls`", "run python `print(1)`", "write x to b.txt", "append x to a.txt"]
    for (const { stdout } of await Promise.all(requests.map((request) => work.run({ args: [request] })))) {
      expect(stdout).toContain("Not run, because there is no terminal to ask on")
    }
    expect(existsSync(join(work.dir, "b.txt"))).toBe(false)
    expect(readFileSync(join(work.dir, "a.txt"), "utf8")).toBe("one\ntwo\nthree\n")
  })

  it("runs what --yes or a rule lets run, and no more", async () => {
    using work = place()
    const [yes, allowed, other] = await Promise.all([
      work.run({ args: ["--yes", "write hello to b.txt, then read it"] }),
      work.run({ args: ["--allow", "execute_shell_command(touch:*)", "run `touch c.txt`"] }),
      work.run({ args: ["--allow", "execute_shell_command(touch:*)", "run `touch d.txt && rm a.txt`"] }),
    ])
    expect(yes.stdout).toContain("Wrote b.txt.")
    expect(readFileSync(join(work.dir, "b.txt"), "utf8")).toBe("hello")
    expect(allowed.stdout).toBe("`touch c.txt` ran and printed nothing.\n")
    expect(existsSync(join(work.dir, "c.txt"))).toBe(true)
    expect(other.stdout).toContain("it was not allowed")
    expect(existsSync(join(work.dir, "a.txt"))).toBe(true)
  })

  it("prints events and nothing else with --json", async () => {
    using work = place()
    const { status, stdout } = await work.run({ args: ["--json", "read a.txt and run `touch made`"] })
    const events = lines(stdout).map((line) => JSON.parse(line) as { type: string; [key: string]: unknown })
    const types = new Set(events.map(({ type }) => type))
    for (const type of [
      "reply_start",
      "model_start",
      "tool_use_start",
      "tool_execution_start",
      "tool_result",
      "pending",
      "text_delta",
      "reply_end",
    ]) {
      expect(types).toContain(type)
    }
    expect(events.at(-1)).toMatchObject({ type: "reply_end", reply: { finishReason: "completed" } })
    expect(existsSync(join(work.dir, "made"))).toBe(false)
    expect(status).toBe(0)
  })

  it.each([
    [["--bogus"], "Unknown option '--bogus'"],
    [["--dir", "nowhere", "q"], "there is no such folder"],
    [["--allow", "Bash(ls:*)", "q"], 'there is no tool "Bash"'],
    [["--model", "gpt-5", "q"], "there is no key"],
    [[], "There is no question"],
  ])("refuses %j with status 2 and says why", async (args, why) => {
    using work = place()
    const { status, stdout, stderr } = await work.run({ args, input: "" })
    expect(stderr).toMatch(/^friday: /u)
    expect(stderr).toContain(why)
    expect(stdout).toBe("")
    expect(status).toBe(2)
  })

  it("says how to use it, and its version", async () => {
    using work = place()
    const [help, version] = await Promise.all([work.run({ args: ["--help"] }), work.run({ args: ["-v"] })])
    expect(help.stdout).toContain("Exit status: 0 answered")
    expect(help.status).toBe(0)
    expect(version.stdout).toMatch(/^friday \d+\.\d+\.\d+\n$/u)
  })

  it("leaves quietly when nobody reads its output any more", async () => {
    using work = place()
    writeFileSync(join(work.dir, "long.txt"), "x\n".repeat(20_000))
    const friday = work.start({ args: ["--model", "offline", "--json", "read long.txt"] })
    friday.child.stdout?.destroy()
    expect(await friday.exit).toBe(0)
    expect(friday.stderr).toBe("")
  })
})

describe.concurrent("with a provider", () => {
  const keyed = (url: string) => ({ OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: url })

  it("streams its answer and runs the tools it calls", async () => {
    using work = place()
    await using server = await startOpenAIServer([
      {
        thinking: "Let me look. ",
        text: "I read it. ",
        call: { name: "view_text_file", input: { file_path: "a.txt" } },
      },
      { text: "It has three lines." },
    ])
    const { status, stdout, stderr } = await work.run({
      args: ["--model", "my-model", "what is in a.txt?"],
      env: keyed(server.url),
    })
    expect(stdout).toBe("I read it. \n\nIt has three lines.\n")
    expect(stderr).toContain("Let me look.")
    expect(stderr).toContain("● view_text_file  a.txt")
    expect(server.asked[0]?.model).toBe("my-model")
    expect(server.asked[0]?.tools?.map((tool) => tool.function.name)).toContain("execute_shell_command")
    expect(JSON.stringify(server.asked[1]?.messages)).toContain("2: two")
    expect(status).toBe(0)
  })

  it.each([
    [401, { message: "Incorrect API key provided", code: "invalid_api_key" }, "Check the key in OPENAI_API_KEY"],
    [404, { message: "The model does not exist", code: "model_not_found" }, "--model NAME"],
  ])("says what a %i means and what to do, with status 1", async (code, error, advice) => {
    using work = place()
    await using server = await startOpenAIServer([{ status: code, error }])
    const [text, json] = await Promise.all([
      work.run({ args: ["hi"], env: keyed(server.url) }),
      work.run({ args: ["--json", "hi"], env: keyed(server.url) }),
    ])
    expect(text.stderr).toContain(error.message)
    expect(text.stderr).toContain(advice)
    expect(text.stderr).not.toContain("sk-test")
    expect(text.stdout).toBe("")
    expect(text.status).toBe(1)
    const events = lines(json.stdout).map((line) => JSON.parse(line) as { type: string })
    expect(events.filter(({ type }) => type === "error")).toHaveLength(1)
    expect(json.status).toBe(1)
  })

  it("takes escape sequences out of what a model or a tool says", async () => {
    using work = place()
    writeFileSync(join(work.dir, "evil.txt"), "before\u001b]0;title\u0007\u001b[2Jafter\n")
    await using server = await startOpenAIServer([
      { text: "red \u001b[31m text \u009b2J end", call: { name: "view_text_file", input: { file_path: "evil.txt" } } },
      { text: "done" },
    ])
    const { stdout, stderr } = await work.run({ args: ["read"], env: keyed(server.url) })
    // oxlint-disable-next-line no-control-regex
    expect(stdout + stderr).not.toMatch(/[\u001b\u0007\u009b]/u)
    expect(stdout).toContain("red ")
    expect(stderr).toContain("beforeafter")
  })

  it("is interrupted by SIGINT, keeps what was said, and has status 130", async () => {
    using work = place()
    await using server = await startOpenAIServer([{ text: "The beginning ", hold: true }])
    const friday = work.start({ args: ["tell me"], env: keyed(server.url) })
    await friday.sees("The beginning")
    friday.child.kill("SIGINT")
    expect(await friday.exit).toBe(130)
    expect(friday.stdout).toContain("The beginning")
  })

  it("ends what a tool runs when it is terminated", async () => {
    using work = place()
    const friday = work.start({ args: ["--yes", "run `echo $$ > pid; sleep 60`"] })
    const pidFile = join(work.dir, "pid")
    while (!existsSync(pidFile) || readFileSync(pidFile, "utf8") === "")
      await new Promise((resolve) => setTimeout(resolve, 20))
    friday.child.kill("SIGTERM")
    expect(await friday.exit).toBe(143)
    const pid = Number(readFileSync(pidFile, "utf8"))
    const alive = () => existsSync(`/proc/${pid}`)
    for (let i = 0; i < 200 && alive(); i++) await new Promise((resolve) => setTimeout(resolve, 20))
    expect(alive()).toBe(false)
  })
})
