import { type Msg, newId } from "@agentscope-ts/message"
import { type CallSink, ChatModel, type ChatRequest, Formatter, type ModelOptions } from "@agentscope-ts/model"
import { abilityOf } from "./abilities.ts"
import { answerFor } from "./answer.ts"
import { jsonPieces, wordPieces } from "./pieces.ts"
import { planFor } from "./plan.ts"
import type { Call, Report } from "./report.ts"
import { structuredFrom } from "./structured.ts"
import { finishTool, turnsOf } from "./turn.ts"

/** Options of {@link OfflineChatModel}; none is needed. */
export interface OfflineModelOptions extends Partial<ModelOptions> {
  /** The line that sets a key for a real model, shown when somebody asks what this one cannot do. */
  setup?: string | undefined
}

/** There is no wire: messages go in as they are. */
class PlainFormatter extends Formatter<Msg> {
  override readonly provider = "offline"

  protected override formatAll(messages: readonly Msg[]): Msg[] {
    return [...messages]
  }
}

type Decision =
  | { readonly calls: readonly Call[]; readonly text?: undefined }
  | { readonly text: string; readonly refusal?: boolean; readonly calls?: undefined }

/**
 * A chat model that is no language model: rules match the words of a request with the names, descriptions and parameters
 * of the tools that come with it, call one tool after the other, and tell what the tools said. It needs no account and no
 * network, answers the same to the same, makes nothing up, and says plainly what it is. English only.
 *
 * It never calls more than 20 tools for one request. Usage is absent: no tokens are spent.
 */
export class OfflineChatModel extends ChatModel {
  readonly #setup: string

  constructor(options: OfflineModelOptions = {}) {
    const { setup = "export OPENAI_API_KEY=sk-…", ...rest } = options
    super({ model: "offline-rules", ...rest, provider: "offline", formatters: { chat: new PlainFormatter() } })
    this.#setup = setup
  }

  protected override send(request: ChatRequest, sink: CallSink): Promise<void> {
    const decision = this.#decide(request)
    const stream = (text: string, pieces: (text: string) => readonly string[]) =>
      sink.streaming ? pieces(text) : text === "" ? [] : [text]
    if (decision.calls) {
      for (const [index, { tool, input }] of decision.calls.entries()) {
        const id = newId()
        sink.emit({ type: "tool_use_start", index, id, name: tool })
        for (const json of stream(JSON.stringify(input), jsonPieces))
          sink.emit({ type: "tool_use_delta", index, id, json })
      }
      sink.finish({ stopReason: "tool_use" })
    } else {
      for (const text of stream(decision.text, wordPieces)) sink.emit({ type: "text_delta", index: 0, text })
      sink.finish({ stopReason: decision.refusal ? "refusal" : "stop" })
    }
    return Promise.resolve()
  }

  #decide({ messages, tools = [], toolChoice = "auto", schema }: ChatRequest): Decision {
    const turns = turnsOf(messages)
    const finish = tools.find((tool) => tool.name === finishTool)
    const abilities = toolChoice === "none" ? [] : tools.filter((tool) => tool !== finish).map(abilityOf)
    const forced =
      typeof toolChoice === "object" ? abilities.filter(({ tool }) => tool.name === toolChoice.name) : abilities
    const turn = turns.at(-1)
    const plan = planFor(turns, forced)
    let step = plan.next()
    for (const done of turn?.done ?? []) {
      if (step.done) break
      step = plan.next(done)
    }
    if (!step.done) return { calls: [step.value] }
    const answer = answerFor(step.value, abilities, this.#setup)
    const request = turn?.requests.join("\n") ?? ""
    if (schema) {
      const value = structuredFrom(schema, request, told(step.value) ? answer : "")
      return value ? { text: JSON.stringify(value) } : { text: this.#cannotFill(answer, step.value), refusal: true }
    }
    if (finish && toolChoice !== "none") {
      const value = structuredFrom(finish.parameters, request, told(step.value) ? answer : "")
      if (value) return { calls: [{ tool: finishTool, input: value }] }
      return { text: this.#cannotFill(answer, step.value) }
    }
    return { text: answer }
  }

  #cannotFill(answer: string, reports: readonly Report[]): string {
    const why =
      "I cannot give the answer in the form that is asked for: the request does not say all of it, and I make nothing up."
    return told(reports)
      ? `${answer}\n\n${why}`
      : `${why} For a language model, set a key and start again:\n\n${this.#setup}`
  }
}

/** Whether something was done that an answer can tell of. */
const told = (reports: readonly Report[]): boolean =>
  reports.some(({ kind }) => kind === "called" || kind === "counted")
