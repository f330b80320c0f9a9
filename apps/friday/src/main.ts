import { fstatSync, readFileSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { AgentScopeError } from "@agentscope-ts/message"
import { type Arguments, helpText, readArguments } from "./arguments.ts"
import { chooseModel } from "./choose-model.ts"
import { createFriday } from "./friday.ts"
import { answerOnce, status } from "./once.ts"
import { problemText } from "./problem.ts"
import { Prompt } from "./prompt.ts"
import { Screen } from "./screen.ts"
import { cleanText } from "./terminal/clean-text.ts"
import { Pane } from "./terminal/pane.ts"

const usage = (message: string) => new AgentScopeError({ code: "usage", message })

function workingFolder(dir: string | undefined): string {
  // under npm the process runs in the repository; INIT_CWD is where the person was
  const folder = resolve(process.env["INIT_CWD"] ?? process.cwd(), dir ?? ".")
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
  if (!isFolder) throw usage(`--dir ${dir ?? folder}: there is no such folder.`)
  return folder
}

const mostInput = 1024 * 1024

/** Standard input as text, 1 MiB of it at most: a model could not read more. */
async function readInput(): Promise<string> {
  const decoder = new TextDecoder()
  let all = ""
  for await (const chunk of process.stdin as AsyncIterable<Uint8Array>) {
    all += decoder.decode(chunk, { stream: true })
    if (all.length > mostInput)
      throw usage("Standard input is longer than 1 MiB, which no model reads. Put it into a file and ask about that.")
  }
  return all + decoder.decode()
}

/** The question of the command line, with standard input in the place of `-`; standard input alone off a terminal. */
async function questionOf({ question, json }: Arguments): Promise<string | undefined> {
  const { stdin } = process
  if (question.length === 0 && stdin.isTTY) {
    if (json) throw usage('--json needs a question: npm start --silent -- --json "question"')
    return undefined
  }
  const piped = question.length === 0 || question.includes("-") ? (await readInput()).trim() : ""
  const whole = question.length === 0 ? piped : question.map((word) => (word === "-" ? `\n\n${piped}` : word)).join(" ")
  if (whole.trim() === "") throw usage("There is no question: give one as an argument or on standard input.")
  return whole.trim()
}

/** Whether standard output and error go to the same file or pipe. */
function isOnePlace(): boolean {
  try {
    const [out, error] = [fstatSync(1), fstatSync(2)]
    return out.dev === error.dev && out.ino === error.ino
  } catch {
    return false // one of them is closed
  }
}

function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
  return (manifest as { version: string }).version
}

async function run(args: Arguments): Promise<number> {
  const { stdin, stdout, stderr } = process
  const dir = workingFolder(args.dir)
  const question = await questionOf(args)
  const answer = new Pane(stdout)
  // one pipe for both (2>&1) is one page: its parts must not run into each other
  const activity = stdout.isTTY || isOnePlace() ? answer : new Pane(stderr)
  const screen = new Screen(answer, activity)
  const output = stdout.isTTY ? stdout : stderr
  const canAsk = stdin.isTTY && output.isTTY && !args.json
  const chosen = await chooseModel(process.env, args.model)
  const create = () => createFriday({ model: chosen.model, dir, yes: args.yes, allow: args.allow, canAsk })
  if (question !== undefined) {
    if (chosen.note !== undefined) process.stderr.write(`friday: ${cleanText(chosen.note)}\n`)
    return answerOnce(create(), question, {
      screen,
      json: args.json,
      ...(canAsk && { terminal: { input: stdin, output } }),
    })
  }
  const home = process.env["HOME"]
  const shown = home && (dir === home || dir.startsWith(`${home}/`)) ? `~${dir.slice(home.length)}` : dir
  activity.line(
    `${activity.style("bold", "Friday")} ${activity.style("dim", `· ${cleanText(`${chosen.label} · ${shown}`)}`)}`,
  )
  if (chosen.offline) {
    const why = chosen.note ?? "No key and no Ollama found, so plain rules answer."
    activity.line(activity.style(chosen.note === undefined ? "dim" : "yellow", cleanText(why)))
    activity.line(activity.style("dim", 'Try "list the files", or ask "what can you do?"'))
  }
  activity.line(activity.style("dim", "/help for commands, Ctrl-D to leave"))
  return new Prompt({ create, screen, input: stdin, output }).run()
}

/**
 * Friday on this process's own streams. Gives the exit status: 0 answered, 1 an error, 2 wrong usage, 3 stopped before an
 * answer, 130 interrupted.
 */
export async function main(argv: readonly string[]): Promise<number> {
  // whoever read our output has gone: so do we, without a word
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) =>
      process.exit(error.code === "EPIPE" ? status.answered : status.failed),
    )
  }
  // the tools' own guards end what they started
  for (const [signal, code] of [
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const) {
    process.on(signal, () => process.exit(code))
  }
  try {
    const args = readArguments(argv)
    if (args.help) process.stdout.write(helpText)
    else if (args.version) process.stdout.write(`friday ${version()}\n`)
    else return await run(args)
    return status.answered
  } catch (error) {
    process.stderr.write(`friday: ${problemText(error)}\n`)
    return AgentScopeError.is(error, "usage") ? status.usage : status.failed
  } finally {
    // where pipes are not written at once
    for (const stream of [process.stdout, process.stderr]) await new Promise((resolve) => stream.write("", resolve))
  }
}
