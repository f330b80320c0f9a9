import type { ReActAgent } from "@agentscope-ts/agent"
import type { Msg } from "@agentscope-ts/message"
import { expectTypeOf, test } from "vitest"
import {
  FanoutPipeline,
  fanoutPipeline,
  ForPipeline,
  IfElsePipeline,
  SequentialPipeline,
  type Step,
  sequentialPipeline,
  streamMessages,
  SwitchPipeline,
  switchPipeline,
  WhilePipeline,
} from "./index.ts"

declare const agent: ReActAgent
declare const steps: Step[]

test("agents and pipelines are steps, and answer a message", () => {
  expectTypeOf(agent).toExtend<Step>()
  const sequence = new SequentialPipeline([agent, new ForPipeline({ times: 2, body: agent })])
  expectTypeOf(sequence).toExtend<Step>()
  expectTypeOf(sequence.reply("x")).resolves.toEqualTypeOf<Msg>()
  expectTypeOf(sequence.stream("x").reply).resolves.toEqualTypeOf<Msg>()
  expectTypeOf(sequentialPipeline(steps, "x")).resolves.toEqualTypeOf<Msg>()
  expectTypeOf(sequentialPipeline([agent, ...steps], "x")).resolves.toEqualTypeOf<Msg>()
  const named: SequentialPipeline = sequence
  expectTypeOf(named.reply()).resolves.toEqualTypeOf<Msg>()
})

test("a fan-out answers a list, also where it is the last of several or a branch", () => {
  const fan = new FanoutPipeline([agent, new FanoutPipeline(steps)])
  expectTypeOf(fan.reply("x")).resolves.toEqualTypeOf<readonly Msg[]>()
  expectTypeOf(fanoutPipeline(steps)).resolves.toEqualTypeOf<readonly Msg[]>()
  expectTypeOf(sequentialPipeline([agent, fan])).resolves.toEqualTypeOf<readonly Msg[]>()
  expectTypeOf(sequentialPipeline([fan, agent])).resolves.toEqualTypeOf<Msg>()
  expectTypeOf(new WhilePipeline({ condition: () => true, body: fan }).reply()).resolves.toEqualTypeOf<readonly Msg[]>()
  const either = new IfElsePipeline({ condition: () => true, whenTrue: fan, whenFalse: agent })
  expectTypeOf(either.reply()).resolves.toEqualTypeOf<readonly Msg[] | Msg>()
})

test("the cases of a switch are those that select can name", () => {
  const select = (): "a" | "b" => "a"
  expectTypeOf(switchPipeline({ select, cases: { a: agent } })).resolves.toEqualTypeOf<Msg>()
  // @ts-expect-error there is no such case
  new SwitchPipeline({ select, cases: { c: agent } })
})

test("messages are streamed of any step", () => {
  expectTypeOf(streamMessages(agent, "x")).toEqualTypeOf<AsyncIterable<Msg>>()
  expectTypeOf(streamMessages(new FanoutPipeline(steps))).toEqualTypeOf<AsyncIterable<Msg>>()
})
