import {
  ambient,
  copyOf,
  type ChatUsage,
  createMsg,
  type Msg,
  onAbort,
  type Reply,
  untilAbort,
} from "@agentscope-ts/message"
import { checkMessage } from "@agentscope-ts/model"
import { loadTracing, type Span } from "@agentscope-ts/tracing"
import { agentError } from "../agent-error.ts"
import type { AgentBase, AgentOptions, InterruptContext } from "./agent-base.ts"
import { checkAnswers, hookMessages, isResume, messagesOf } from "./agent-input.ts"
import { type AgentInput, type Run, type RunContext, Stopped } from "./agent-run.ts"
import { describeInput, describeReply, startAgentSpan } from "../tracing/agent-span.ts"
import type { HookPoints, HookTable } from "../hooks/hooks.ts"
import { checkContext, checkNames, checkOption } from "../options.ts"
import { Printing } from "../printing/printing.ts"
import { runPost, runPre } from "../hooks/run-hooks.ts"
import { terminalPrinter } from "../printing/terminal-printer.ts"
import type { Turns } from "./turns.ts"

/** The inside of an agent, for the life of its replies. */
export interface AgentInside {
  readonly agent: AgentBase
  /** The class and the name, for errors. */
  readonly where: string
  readonly turns: Turns
  readonly hooks: HookTable | undefined
  readonly listeners: readonly ReplyListener[]
  readonly print: AgentOptions["print"]
  /** What has to be done before the agent is used; `undefined` when nothing has. */
  beforeUse(): Promise<unknown> | undefined
  run(messages: readonly Msg[], context: RunContext): Promise<Msg>
  handleInterrupt(context: InterruptContext): string | Msg | Promise<string | Msg>
  remember(messages: readonly Msg[]): void | Promise<void>
}

/** Hears a finished reply. */
export type ReplyListener = (reply: Reply<unknown>) => void | Promise<void>

const nothingUsed: ChatUsage = { inputTokens: 0, outputTokens: 0, timeMs: 0 }

/** One reply from the call to its end: takes the turn, runs the agent, settles the run. */
export function performReply(inside: AgentInside, run: Run): Promise<Reply<unknown>> {
  const { within } = ambient()
  return within ? within(inside.agent.name, () => perform(inside, run)) : perform(inside, run)
}

async function perform(inside: AgentInside, run: Run): Promise<Reply<unknown>> {
  const { agent, where, turns } = inside
  const { signal } = run.options
  try {
    checkNames(`${where}.reply`, run.options, ["signal", "context", "budget", "schema"])
    checkContext(`${where}.reply`, run.options.context)
    checkOption(`${where}.reply`, "signal", signal, typeof signal?.throwIfAborted === "function", "an AbortSignal")
    signal?.throwIfAborted()
    const turn = turns.take(run, where)
    if (turn) await turn
  } catch (error) {
    run.fail(error)
    throw error
  }
  const off = onAbort(signal, () => run.stop({ kind: "signal", reason: signal?.reason }))
  // one listener for the whole reply: what its model and tool calls hear of then takes no place of its own on the signal
  const release = onAbort(run.signal, () => {})
  let span: Span | undefined
  try {
    run.visit?.onTurn()
    const loading = loadTracing()
    if (loading) await loading
    span = startAgentSpan(agent)
    run.span = span
    const reply = await (span ? span.run(() => answer(inside, run)) : answer(inside, run))
    if (span) describeReply(span, reply)
    run.visit?.onReply()
    // whoever sees the end may ask again
    turns.pass()
    run.end(reply)
    if (run.printing) await unlessInterrupted(run, run.printing.finished())
    return reply
  } catch (error) {
    span?.fail(error)
    if (turns.current === run) turns.pass()
    run.fail(error)
    throw error
  } finally {
    off()
    release()
    span?.end()
  }
}

type ReplyInput = HookPoints["Reply"]["input"]
const copyInput = ({ messages, options, resume }: ReplyInput): ReplyInput => ({
  messages: copyOf(messages),
  options: { ...options, ...(options.context && { context: [...options.context] }) },
  resume: copyOf(resume),
})
/** Its messages enter memory, and are never left out. */
const takeInput = ({ messages, options, resume }: ReplyInput): ReplyInput => ({
  messages: hookMessages(messages),
  options: options ?? {},
  resume,
})
const inputCopies = { input: copyInput, take: takeInput }
function takeReply(reply: Reply<unknown>): Reply<unknown> {
  checkMessage(reply, 0)
  const { finishReason, usage, pending } = reply as Partial<Reply<unknown>>
  if (typeof finishReason === "string" && typeof usage === "object" && Array.isArray(pending)) return reply
  throw agentError("invalid_argument", "a reply has finishReason, usage and pending.")
}
const replyCopies = { input: copyInput, output: (reply: Reply<unknown>) => copyOf(reply), take: takeReply }

async function answer(inside: AgentInside, run: Run): Promise<Reply<unknown>> {
  const { agent, where } = inside
  startPrinting(inside, run)
  run.emit({ type: "reply_start" })
  const resume = isResume(run.input) ? run.input : undefined
  const messages = resume ? [] : messagesOf(where, run.input as AgentInput)
  const asked: ReplyInput = { messages, options: run.options, resume }
  const { msg, input } = await work(inside, run, asked)
  run.closing = true
  // what was steered in too late for the agent to answer it
  if (run.hasSteered) await inside.remember(run.takeSteered())
  let reply = replyOf(run, msg)
  // as they are now: one that was added meanwhile counts
  const postReply = inside.hooks?.postReply
  if (postReply) {
    const closing = { whileRunning: <T>(work: PromiseLike<T>) => run.whileClosing(work) }
    try {
      reply = await runPost("postReply", postReply, agent, input, reply, replyCopies, closing)
    } catch (error) {
      if (!(error instanceof Stopped)) throw error
      // what the hooks would have made of it is not known: it stays in memory, and the interrupt is answered
      const by = run.stopped?.kind === "interrupt" ? run.stopped.by : undefined
      reply = replyOf(run, await answerInterrupt(inside, run, input.messages, by, new Stopped(msg)))
    }
  }
  if (inside.listeners.length > 0) await unlessInterrupted(run, tell(inside, run, reply))
  return reply
}

const replyOf = (run: Run, msg: Msg) =>
  ({
    ...msg,
    finishReason: msg.finishReason ?? "completed",
    usage: run.usage ?? msg.usage ?? nothingUsed,
    pending: run.pending,
  }) as Reply<unknown>

/** Those who hear replies do so side by side, each by a copy of its own. */
async function tell({ where, listeners }: AgentInside, run: Run, reply: Reply<unknown>): Promise<void> {
  const hear = async (listener: ReplyListener) => {
    try {
      await listener(copyOf(reply))
    } catch (error) {
      run.listenerFailed(`A listener to the replies of ${where}`, error)
    }
  }
  await Promise.all(listeners.map(hear))
}

/** Waits for those who are told of the reply: an interrupt ends the wait, and the reply is what it is. */
async function unlessInterrupted(run: Run, work: Promise<void>): Promise<void> {
  try {
    await run.whileClosing(work)
  } catch (error) {
    if (!(error instanceof Stopped)) throw error
  }
}

/** Print hooks may also come while the agent runs. */
export function startPrinting(inside: AgentInside, run: Run): void {
  const { agent, hooks, print } = inside
  if (run.printing || !(print || hooks?.prePrint || hooks?.postPrint)) return
  const printer = typeof print === "function" ? print : print ? terminalPrinter() : undefined
  const printing = new Printing(agent, run, () => inside.hooks, printer)
  run.printing = printing
  run.listen((event) => printing.handle(event))
}

/** The agent's message, and the input as the hooks made it; an interrupt is answered. */
async function work(inside: AgentInside, run: Run, asked: ReplyInput): Promise<{ msg: Msg; input: ReplyInput }> {
  const { agent, where, hooks } = inside
  let input = asked
  try {
    const loading = inside.beforeUse()
    if (loading) await loading
    if (hooks?.preReply) input = await runPre("preReply", hooks.preReply, agent, input, inputCopies, run)
    run.options = input.options
    run.resume = input.resume
    if (run.resume) checkAnswers(where, agent.pending, run.resume)
    if (run.span) describeInput(run.span, input.messages, "schema" in input.options)
    const running = inside.run(input.messages, run)
    return { msg: await (run.selfClosing ? running : untilStopped(running, run)), input }
  } catch (error) {
    const { stopped } = run
    // an agent that cleans up by itself may fail at it, and that failure is the one to be told
    if (stopped === undefined || (run.selfClosing && !(error instanceof Stopped))) throw error
    if ("reason" in stopped) throw stopped.reason
    if (stopped.kind !== "interrupt") throw error
    const cut = error instanceof Stopped ? error : new Stopped()
    return { msg: await answerInterrupt(inside, run, input.messages, stopped.by, cut), input }
  }
}

/** An agent that does not look at its signal is left behind when stopped, unless it says that it cleans up. */
function untilStopped(running: Promise<Msg>, run: Run): Promise<Msg> {
  return new Promise((resolve, reject) => {
    const off = onAbort(run.signal, () => {
      if (!run.selfClosing) reject(new Stopped())
    })
    running.then(resolve, reject).finally(off)
  })
}

async function answerInterrupt(
  inside: AgentInside,
  run: Run,
  messages: readonly Msg[],
  by: Msg | undefined,
  { partial, closed }: Stopped,
): Promise<Msg> {
  if (by) await inside.remember([by])
  const { signal } = run.options
  const context = { messages, ...(by && { by }), ...(partial && { partial }), closed }
  const answer = await untilAbort(Promise.resolve(inside.handleInterrupt(context)), signal, () => signal?.reason)
  const msg: Msg =
    typeof answer === "string"
      ? createMsg({ name: inside.agent.name, role: "assistant", content: answer, finishReason: "interrupted" })
      : { ...answer, finishReason: "interrupted" }
  await inside.remember([msg])
  return msg
}
