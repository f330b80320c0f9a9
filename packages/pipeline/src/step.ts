import type { AgentInput, ReplyOptions } from "@agentscope-ts/agent"
import type { AgentEvent, Msg, Resume } from "@agentscope-ts/message"

/** What a step answers: a message, or the messages of all branches of a fan-out. */
export type StepOutput = Msg | readonly Msg[]

/** A turn in the making: iterate its events, or await `reply`. It runs whether or not somebody looks. One consumer. */
export interface StepRun<Out extends StepOutput = Msg> extends AsyncIterable<AgentEvent> {
  readonly reply: Promise<Out>
}

/**
 * Anything that takes its turn: agents, pipelines, and objects of one's own. It has to hear `options.signal`; leaving its
 * stream early ends the turn.
 */
export interface Step<Out extends StepOutput = Msg> {
  readonly name: string
  reply(input?: AgentInput | Resume, options?: ReplyOptions): Promise<Out>
  stream(input?: AgentInput | Resume, options?: ReplyOptions): StepRun<Out>
}

/** A step of any output. */
export type AnyStep = Step<StepOutput>

/** What a step answers, by its type: agents a message, a fan-out a list. */
export type StepOutputOf<S extends AnyStep> = S extends AnyStep
  ? Awaited<ReturnType<S["reply"]>> extends readonly Msg[]
    ? readonly Msg[]
    : Awaited<ReturnType<S["reply"]>> extends Msg
      ? Msg
      : StepOutput
  : never

/** What the last of several steps answers. */
export type LastStepOutputOf<S extends readonly AnyStep[]> = S extends readonly [
  ...unknown[],
  infer Last extends AnyStep,
]
  ? StepOutputOf<Last>
  : StepOutputOf<S[number]>
