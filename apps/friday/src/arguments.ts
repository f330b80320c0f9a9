import { parseArgs } from "node:util"
import { AgentScopeError } from "@agentscope-ts/message"

/** What the command line asks for. */
export interface Arguments {
  readonly help: boolean
  readonly version: boolean
  readonly json: boolean
  readonly yes: boolean
  readonly allow: readonly string[]
  readonly dir?: string
  readonly model?: string
  /** The words of the question; `-` stands for standard input. */
  readonly question: readonly string[]
}

const options = {
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "v" },
  json: { type: "boolean" },
  yes: { type: "boolean", short: "y" },
  allow: { type: "string", multiple: true },
  dir: { type: "string" },
  model: { type: "string", short: "m" },
} as const

/** What `--help` prints. */
export const helpText = `Friday: an assistant with file, search, shell, Python and calculator tools.

  npm start                       talk at the prompt
  npm start -- "question"         answer once
  npm start -- "explain this:" -  answer once; - stands for standard input
  command | npm start             standard input is the question

Options
  --dir DIR      the working folder; where npm was started unless given
  --model NAME   a model of the provider found, PROVIDER:MODEL, or offline;
                 PROVIDER: openai, anthropic, gemini, deepseek, dashscope,
                 mistral, openrouter, groq, xai, moonshot, ollama
  --yes, -y      run everything without asking
  --allow RULE   run calls that fit without asking; may be repeated.
                 RULE: a tool's name, or one with a pattern of the tool:
                 "execute_shell_command(git:*)"
  --json         print events, one JSON object a line, nothing else; never asks
  --help, -h     this text
  --version, -v  the version

Friday takes the first key it finds: OPENAI_API_KEY (OPENAI_BASE_URL for other
endpoints), ANTHROPIC_API_KEY, GEMINI_API_KEY or GOOGLE_API_KEY,
DEEPSEEK_API_KEY, DASHSCOPE_API_KEY, MISTRAL_API_KEY, OPENROUTER_API_KEY,
GROQ_API_KEY, XAI_API_KEY, MOONSHOT_API_KEY. Without a key it takes a running
Ollama (OLLAMA_HOST; not where CI is set), and without that a small set of
rules answers, which is no language model. Off a terminal nothing that would
ask runs, unless --yes or --allow says so. NO_COLOR turns colours off.

At the prompt: /help, /clear, /exit. Ctrl-C interrupts, a second one leaves; so
does Ctrl-D.

Exit status: 0 answered, 1 an error, 2 wrong usage, 3 stopped before an answer
(a limit was reached), 130 interrupted.
`

const usage = (message: string) =>
  new AgentScopeError({ code: "usage", message: `${message} --help says what there is.` })

/**
 * Reads the command line.
 * @throws AgentScopeError `usage` for an option that does not exist, lacks its value or is given twice.
 */
export function readArguments(args: readonly string[]): Arguments {
  let parsed
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    // Node's advice about "--" speaks of its own command line
    throw usage(message.replace(/\. To specify a positional argument[\s\S]*$/u, ".").replace(/(?<![.!?])$/u, "."))
  }
  const { values, positionals } = parsed
  const { help = false, version = false, json = false, yes = false, allow = [], dir, model } = values
  if (dir === "") throw usage("--dir needs the name of a folder.")
  if (model === "") throw usage("--model needs the name of a model.")
  return {
    help,
    version,
    json,
    yes,
    allow,
    question: positionals,
    ...(dir !== undefined && { dir }),
    ...(model !== undefined && { model }),
  }
}
