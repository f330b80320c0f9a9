import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { startOpenAIServer } from "./fixtures/openai-server.ts"
import { hasTerminal, Workplace } from "./fixtures/running-friday.ts"

if (!hasTerminal) console.log("friday: no `script` of util-linux here, so the prompt is not tested")

const ctrlC = "\u0003"
const ctrlD = "\u0004"
const place = () => {
  const work = new Workplace()
  writeFileSync(join(work.dir, "a.txt"), "one\ntwo\n")
  return work
}
/** A Friday whose prompt is there. */
const begin = async (work: Workplace, env: Record<string, string> = {}, args: readonly string[] = []) => {
  const friday = work.start({ terminal: true, env, args })
  await friday.sees("/help for commands")
  await friday.sees("› ")
  return friday
}

describe.skipIf(!hasTerminal)("the prompt", { concurrent: true }, () => {
  it("answers, remembers, and leaves on Ctrl-D with status 0", async () => {
    using work = place()
    const friday = await begin(work)
    expect(friday.screen).toContain("offline rules, no language model")
    friday.type("list the files\r")
    await friday.sees("● list_directory")
    await friday.sees("1 entry: a.txt.")
    await friday.sees("› ")
    friday.type("read the first one\r")
    await friday.sees("● view_text_file  a.txt")
    await friday.sees("a.txt (2 lines):")
    await friday.sees("› ")
    friday.type(ctrlD)
    expect(await friday.exit).toBe(0)
  })

  it("has commands, and a history on the arrow keys", async () => {
    using work = place()
    const friday = await begin(work)
    friday.type("/help\r")
    await friday.sees("/clear  forget the conversation")
    await friday.sees("› ")
    friday.type("/nonsense\r")
    await friday.sees("There is no command /nonsense.")
    await friday.sees("› ")
    friday.type("/hlep me please\r")
    await friday.sees('There is no command /hlep. Did you mean "/help"?')
    await friday.sees("› ")
    friday.type("/clear the table\r")
    await friday.sees("/clear stands alone")
    await friday.sees("› ")
    friday.type("compute 2+3\r")
    await friday.sees("2 + 3 = 5")
    await friday.sees("› ")
    friday.type("\u001b[A\u007f4\r")
    await friday.sees("2 + 4 = 6")
    await friday.sees("› ")
    friday.type("/clear\r")
    await friday.sees("A new conversation.")
    await friday.sees("› ")
    friday.type("do that again\r")
    await friday.sees("I do not know what to do")
    await friday.sees("› ")
    friday.type("/exit\r")
    expect(await friday.exit).toBe(0)
  })

  it("shows what would run and runs it on yes; nothing on no, with the reason told", async () => {
    using work = place()
    const friday = await begin(work)
    friday.type("run `touch yes.txt`\r")
    await friday.sees("▲ execute_shell_command wants to run:\n    $ touch yes.txt\n")
    await friday.sees("[e]dit › ")
    expect(existsSync(join(work.dir, "yes.txt"))).toBe(false)
    friday.type("y\r")
    await friday.sees("`touch yes.txt` ran and printed nothing.")
    expect(existsSync(join(work.dir, "yes.txt"))).toBe(true)
    await friday.sees("› ")
    friday.type("run `touch no.txt`\r")
    await friday.sees("[e]dit › ")
    friday.type("maybe\r")
    await friday.sees("Answer y, a, n or e")
    await friday.sees("[e]dit › ")
    friday.type("n use another name\r")
    await friday.sees("not run: the person said no: use another name")
    await friday.sees("I did not run `touch no.txt`")
    expect(existsSync(join(work.dir, "no.txt"))).toBe(false)
    friday.type(ctrlD)
    expect(await friday.exit).toBe(0)
  })

  it("takes what is pasted for one message, and never for an approval", async () => {
    using work = place()
    const friday = await begin(work)
    expect(friday.stdout).toContain("\u001b[?2004h")
    friday.type("\u001b[200~compute 1+1\rrun `touch x`\r\u001b[201~")
    await friday.sees("compute 1+1↵run `touch x`")
    friday.type("\r")
    await friday.sees("[e]dit › ")
    friday.type("\u001b[200~y\ry\r\u001b[201~\r")
    await friday.sees("A yes stands alone.")
    await friday.sees("[e]dit › ")
    expect(existsSync(join(work.dir, "x"))).toBe(false)
    friday.type("n\r")
    await friday.sees("1 + 1 = 2")
    await friday.sees("› ")
    friday.type(ctrlD)
    expect(await friday.exit).toBe(0)
    expect(friday.stdout).toContain("\u001b[?2004l")
  })

  it("runs calls like it unasked after always", async () => {
    using work = place()
    const friday = await begin(work)
    friday.type("run `touch 1.txt`\r")
    await friday.sees("[a]lways (execute_shell_command(touch:*))")
    friday.type("a\r")
    await friday.sees("`touch 1.txt` ran")
    await friday.sees("› ")
    friday.type("run `touch 2.txt`\r")
    expect(await friday.sees("`touch 2.txt` ran")).not.toContain("wants to run")
    await friday.sees("› ")
    friday.type("run `touch 3.txt; rm 1.txt`\r")
    await friday.sees("wants to run")
    expect(existsSync(join(work.dir, "2.txt"))).toBe(true)
    expect(existsSync(join(work.dir, "3.txt"))).toBe(false)
  })

  it("runs the edited command in the place of the first", async () => {
    using work = place()
    const friday = await begin(work)
    friday.type("run `touch first.txt`\r")
    await friday.sees("[e]dit › ")
    friday.type("e\r")
    await friday.sees("command › touch first.txt")
    friday.type(`${"\u007f".repeat("first.txt".length)}second.txt\r`)
    await friday.sees("● execute_shell_command  touch second.txt")
    await friday.sees("`touch second.txt` ran")
    expect(existsSync(join(work.dir, "first.txt"))).toBe(false)
    expect(existsSync(join(work.dir, "second.txt"))).toBe(true)
  })

  it("shows the content that would be written, and edits it as JSON", async () => {
    using work = place()
    const friday = await begin(work)
    friday.type("write hello to b.txt\r")
    await friday.sees("▲ write_text_file wants to run:\n    file_path: b.txt\n    content: hello\n")
    friday.type("e\r")
    await friday.sees('input › {"file_path":"b.txt","content":"hello"}')
    friday.type(`${"\u007f".repeat(2)}!"}\r`)
    await friday.sees("content: hello!")
    await friday.sees("Wrote b.txt.")
    friday.type(ctrlD)
    expect(await friday.exit).toBe(0)
  })

  it("stops a command on Ctrl-C and leaves on the second", async () => {
    using work = place()
    const friday = await begin(work)
    friday.type("run `touch begun; sleep 60`\r")
    await friday.sees("[e]dit › ")
    friday.type("y\r")
    while (!existsSync(join(work.dir, "begun"))) await new Promise((resolve) => setTimeout(resolve, 20))
    friday.type(ctrlC)
    await friday.sees("interrupted: The tool call was interrupted")
    await friday.sees("› ")
    friday.type(ctrlC)
    expect(await friday.exit).toBe(0)
  })

  it("takes Ctrl-C at a question for no, and at an empty line twice for leaving", async () => {
    using work = place()
    const friday = await begin(work)
    friday.type("run `touch x`\r")
    await friday.sees("[e]dit › ")
    friday.type(ctrlC)
    await friday.sees("Interrupted.")
    await friday.sees("› ")
    friday.type("compute 1+1\r")
    await friday.sees("1 + 1 = 2")
    await friday.sees("› ")
    friday.type(`half a line${ctrlC}`)
    await friday.sees("Ctrl-C again to leave.")
    await friday.sees("› ")
    friday.type(ctrlC)
    expect(await friday.exit).toBe(0)
    expect(existsSync(join(work.dir, "x"))).toBe(false)
  })

  it("does not take what was typed ahead for an approval, and drops it when interrupted", async () => {
    using work = place()
    await using server = await startOpenAIServer([
      { text: "Wait ", hold: true },
      { call: { name: "execute_shell_command", input: { command: "touch made" } } },
      { text: "Well." },
    ])
    const friday = await begin(work, { OPENAI_API_KEY: "k", OPENAI_BASE_URL: server.url })
    friday.type("first\r")
    await friday.sees("Wait")
    friday.type("never asked\r")
    friday.type(ctrlC)
    await friday.sees("(dropped: never asked)")
    await friday.sees("› ")
    friday.type("second\r")
    await friday.sees("[e]dit › ")
    expect(JSON.stringify(server.asked)).not.toContain("never asked")
    friday.type("n\r")
    await friday.sees("Well.")
  })

  it("keeps what was said before an interrupt, shows thinking dim, and goes on", async () => {
    using work = place()
    await using server = await startOpenAIServer([
      { thinking: "Hmm, let me think. ", text: "The answer begins ", hold: true },
      { text: "And ends." },
    ])
    const friday = await begin(work, { OPENAI_API_KEY: "k", OPENAI_BASE_URL: server.url })
    expect(friday.screen).toContain("gpt-5-mini, OpenAI")
    friday.type("think\r")
    await friday.sees("The answer begins")
    expect(friday.stdout).toContain("\u001b[2mHmm, ")
    friday.type(ctrlC)
    await friday.sees("› ")
    friday.type("go on\r")
    await friday.sees("And ends.")
    expect(JSON.stringify(server.asked[1]?.messages)).toContain("The answer begins")
  })

  it("leaves at the second Ctrl-C while the first still works", async () => {
    using work = place()
    const friday = await begin(work)
    friday.type("run `trap '' TERM INT; touch begun; while :; do sleep 1; done`\r")
    await friday.sees("[e]dit › ")
    friday.type("y\r")
    while (!existsSync(join(work.dir, "begun"))) await new Promise((resolve) => setTimeout(resolve, 20))
    friday.type(ctrlC)
    friday.type(ctrlC)
    expect(await friday.exit).toBe(130)
  })

  it("says what went wrong with a provider, and stays", async () => {
    using work = place()
    await using server = await startOpenAIServer([{ status: 401, error: { message: "Incorrect API key provided" } }])
    const friday = await begin(work, { OPENAI_API_KEY: "k", OPENAI_BASE_URL: server.url })
    friday.type("hi\r")
    await friday.sees("Incorrect API key provided")
    await friday.sees("Check the key in OPENAI_API_KEY")
    await friday.sees("› ")
    friday.type(ctrlD)
    expect(await friday.exit).toBe(0)
  })

  it("has no colours with NO_COLOR", async () => {
    using work = place()
    const friday = await begin(work, { NO_COLOR: "1" })
    friday.type("compute 2+2\r")
    await friday.sees("2 + 2 = 4")
    // the line editor moves the cursor still; nothing sets a colour
    // oxlint-disable-next-line no-control-regex
    expect(friday.stdout).not.toMatch(/\u001b\[[\d;]*m/u)
  })

  it("asks for one question on a terminal too, and has its status", async () => {
    using work = place()
    const friday = work.start({ terminal: true, args: ["run `touch once.txt`"] })
    await friday.sees("[e]dit › ")
    friday.type("y\r")
    await friday.sees("`touch once.txt` ran")
    expect(await friday.exit).toBe(0)
    const stopped = work.start({ terminal: true, args: ["run `touch never.txt`"] })
    await stopped.sees("[e]dit › ")
    stopped.type(ctrlC)
    expect(await stopped.exit).toBe(130)
    expect(existsSync(join(work.dir, "never.txt"))).toBe(false)
  })
})
