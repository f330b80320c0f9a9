import { type Ambient, onAbort, type TapedCall, type ToolUseBlock } from "@agentscope-ts/message"
import { answerBody, untilGivenUp } from "./answer-body.ts"
import { differences } from "./compare.ts"
import {
  callWords,
  divergenceError,
  divergenceText,
  requestWords,
  type TapeDivergence,
  type TapeReport,
} from "./divergence.ts"
import { thrownAgain } from "./failure.ts"
import { LaneTape, laneTapes } from "./lane-tape.ts"
import { belowTapes, inLane, type Lane, type TapeSeam } from "./lanes.ts"
import { childPath, toolLane } from "./recorder.ts"
import { Secrets } from "./secrets.ts"
import type { Tape, TapeRequestEvent, TapeToolCallEvent } from "./tape-event.ts"
import { placesOf } from "./tape-order.ts"
import { pathOf, readRequest, type ReadRequest } from "./tape-request.ts"
import { answerCall, type CallAnswer } from "./answer-call.ts"
import { Turns } from "./turns.ts"
import { type Asked, Unasked } from "./unasked.ts"

/** How a replay takes what is not on the tape. */
export interface PlayerOptions {
  /** `lenient` goes on with the nearest answer that is left. */
  readonly mode: "strict" | "lenient"
  /** What differs from a later event on runs live instead. */
  readonly liveAfter?: number | undefined
  /** Whether whose code runs is known. */
  readonly isApart: boolean
}

/** A lane of the run: its tape, and whether it runs live. */
interface Playing {
  tape: LaneTape
  live: { readonly offsetMs: number } | undefined
}

/** Gives a run what a tape has, and compares what it asks. */
export class Player implements TapeSeam {
  readonly divergences: TapeDivergence[] = []
  readonly #tape: Tape
  readonly #options: PlayerOptions
  readonly #byPath: Map<string, LaneTape>
  readonly #lanes = new WeakMap<Lane, Playing>()
  readonly #playing: Playing[] = []
  readonly #unasked: Unasked
  readonly #secrets = new Secrets()
  readonly #turns: Turns
  #latestMs: number
  #isOver = false

  constructor(tape: Tape, options: PlayerOptions) {
    this.#tape = tape
    this.#options = options
    this.#latestMs = tape.recordedAt
    this.#byPath = laneTapes(tape.events, !options.isApart)
    this.#unasked = new Unasked(tape.events)
    const runs = new Set(
      tape.events.map((event) => (event.type === "tool_call" && event.runs ? event.call : undefined)),
    )
    const places = tape.events.flatMap((event) => {
      const isGiven = event.type === "response" || event.type === "sleep" || event.type === "tool_result"
      return isGiven && event.order && !("call" in event && runs.has(event.call)) ? placesOf(event.order) : []
    })
    for (const { late } of this.#unasked.results.values()) if (late?.place !== undefined) places.push(late.place)
    this.#turns = new Turns(places)
  }

  // ---- values

  now(lane: Lane, below: Ambient): number {
    const { live, tape } = this.#of(lane)
    if (live || this.#isOver) return below.now() + (live?.offsetMs ?? 0)
    return (this.#latestMs = tape.now(this.#latestMs))
  }

  newId(lane: Lane, below: Ambient): string {
    const { live, tape } = this.#of(lane)
    return live || this.#isOver ? below.newId() : tape.id()
  }

  random(lane: Lane, below: Ambient): number {
    const { live, tape } = this.#of(lane)
    return live || this.#isOver ? below.random() : tape.random()
  }

  async sleep(lane: Lane, below: Ambient, ms: number, signal: AbortSignal | undefined): Promise<void> {
    const { live, tape } = this.#of(lane)
    if (live || this.#isOver) return below.sleep(ms, signal)
    signal?.throwIfAborted()
    const { sleeps } = tape
    const same = sleeps.findIndex((sleep) => sleep.ms === ms)
    const [sleep] = sleeps.splice(Math.max(same, 0), 1)
    // one that never woke is there for what did not happen: it takes its time, if it must
    if (sleep?.order === undefined) return below.sleep(ms, signal)
    const [place] = placesOf(sleep.order)
    const abandon = (): void => this.#turns.abandon(place === undefined ? [] : [place])
    const off = onAbort(signal, abandon)
    await this.#turns.wait(place)
    off()
    signal?.throwIfAborted()
    tape.delivered(place)
  }

  // ---- requests

  async fetch(
    lane: Lane,
    inner: typeof globalThis.fetch,
    ...[input, init]: Parameters<typeof globalThis.fetch>
  ): Promise<Response> {
    if (this.#isOver) return inner(input, init)
    const request = await readRequest(input, init, this.#secrets)
    request.signal?.throwIfAborted()
    const playing = this.#of(lane)
    if (playing.live) return inner(request.input, request.init)
    const found = this.#match(lane, playing, request)
    if (found === "live") return inner(request.input, request.init)
    return this.#answer(playing.tape, found, request)
  }

  #match(lane: Lane, playing: Playing, { told }: ReadRequest): TapeRequestEvent | "live" {
    const path = pathOf(told.url)
    const isSame = (event: TapeRequestEvent): boolean =>
      event.method === told.method && pathOf(event.url) === path && differences(event.body, told.body, 1).length === 0
    const first = this.#unasked.of(playing.tape.requests)[0]
    const found = this.#unasked.pick(playing.tape.requests, isSame) ?? this.#rebound(lane, playing, isSame)
    if (found) return this.#unasked.take(playing.tape, found)
    const divergence: TapeDivergence = {
      kind: "request",
      ...(first && { at: first.at }),
      lane: playing.tape.path,
      expected: first ? requestWords({ method: first.method, path: pathOf(first.url) }) : "no more requests",
      actual: requestWords({ method: told.method, path }),
      differences: first ? differences(bodyOf(first), bodyOf(told)) : [],
    }
    if (this.#goesLive(playing, first?.at)) return "live"
    this.divergences.push(divergence)
    const nearest = this.#options.mode === "lenient" ? this.#unasked.nearest(playing.tape, told) : undefined
    if (nearest === undefined) throw divergenceError(this.#tape.file, this.#shown(divergence))
    return this.#unasked.take(playing.tape, nearest)
  }

  /** What a strict replay tells is what came first; the rest follows from it. */
  #shown(divergence: TapeDivergence): TapeDivergence {
    return this.#options.mode === "strict" ? (this.divergences[0] ?? divergence) : divergence
  }

  /** Agents of one name that begin at once may begin in another order: each finds the lane that asked what it asks. */
  #rebound(lane: Lane, playing: Playing, isSame: (event: TapeRequestEvent) => boolean): TapeRequestEvent | undefined {
    if (!playing.tape.isFresh || lane.parent === undefined) return undefined
    const stem = playing.tape.path.replace(/#\d+$/, "#")
    for (const [path, tape] of this.#byPath) {
      const rest = path.startsWith(stem) ? path.slice(stem.length) : "no"
      if (!tape.isFresh || !/^\d+$/.test(rest)) continue
      const found = this.#unasked.pick(tape.requests, isSame)
      if (found === undefined) continue
      this.#swap(playing.tape, tape)
      return found
    }
    return undefined
  }

  #swap(one: LaneTape, other: LaneTape): void {
    const paths = [...this.#byPath].filter(([, tape]) => tape === one || tape === other)
    for (const [path, tape] of paths) this.#byPath.set(path, tape === one ? other : one)
    for (const playing of this.#playing) {
      if (playing.tape === one) playing.tape = other
      else if (playing.tape === other) playing.tape = one
    }
  }

  async #answer(tape: LaneTape, asked: TapeRequestEvent, { signal }: ReadRequest): Promise<Response> {
    const event = this.#unasked.responses.get(asked.call)
    const stalled = (): Error => {
      const divergence: TapeDivergence = {
        kind: "stalled",
        at: asked.at,
        lane: tape.path,
        expected: `${requestWords({ method: asked.method, path: pathOf(asked.url) })} was given up here`,
        actual: "it waits for more",
        differences: [],
      }
      this.divergences.push(divergence)
      return divergenceError(this.#tape.file, this.#shown(divergence))
    }
    const places = event ? placesOf(event.order) : []
    const turn = async (index: number): Promise<void> => {
      await this.#turns.wait(places[index])
      tape.delivered(places[index])
    }
    const abandon = (): void => this.#turns.abandon(places)
    if (event?.status === undefined && event?.end !== "error") {
      await untilGivenUp({ afterMs: event?.afterMs ?? 0 }, { stalled }, signal)
      throw signal?.reason as Error
    }
    const off = onAbort(signal, abandon)
    await turn(0)
    off()
    signal?.throwIfAborted()
    if (event.status === undefined) throw thrownAgain(event.error ?? { name: "TypeError", message: "fetch failed" })
    const isEmpty = [204, 205, 304].includes(event.status)
    const body = isEmpty ? null : answerBody(event, { turn, abandon, stalled }, signal)
    return new Response(body, { status: event.status, headers: event.headers ?? {} })
  }

  // ---- tools and agents

  enter(): void {}

  toolCall(lane: Lane, toolUse: ToolUseBlock): TapedCall {
    const playing = this.#of(lane)
    const found = playing.live || this.#isOver ? "live" : this.#matchCall(playing, toolUse)
    const own = lane.child(toolUse.name)
    const run = <T>(work: () => T): T => inLane(this, own, work)
    const silent = { onChunk: () => {}, onResult: () => {}, onLate: () => {}, run }
    if (found === "live" || found === undefined) {
      this.#lanes.set(own, { tape: playing.tape, live: playing.live })
      if (found === "live") return silent
      return { ...silent, answer: (listener) => listener.onResult(this.#notThere(toolUse)) }
    }
    const path = toolLane(playing.tape.path, found.name, found.call)
    this.#lanes.set(own, { tape: this.#byPath.get(path) ?? this.#shared(playing.tape, path), live: undefined })
    if (found.runs) return { ...silent, ...this.#beside(playing.tape, found.call) }
    const answer: CallAnswer = {
      event: this.#unasked.results.get(found.call),
      wait: (place) => this.#turns.wait(place),
      delivered: (place) => playing.tape.delivered(place),
      abandon: (places) => this.#turns.abandon(places),
    }
    return { ...silent, ...answerCall(toolUse, answer) }
  }

  /** A tool that runs again: what it says comes to the lane of its caller where it came in the recording. */
  #beside(tape: LaneTape, call: number): Pick<TapedCall, "onChunk" | "onResult"> {
    const result = this.#unasked.results.get(call)
    const places = placesOf(result?.order ?? [])
    let atOnce = result?.sync ?? 0
    const delivered = (): void => {
      if (atOnce-- <= 0) tape.delivered(places.shift())
    }
    return { onChunk: delivered, onResult: delivered }
  }

  #matchCall(playing: Playing, { name, input }: ToolUseBlock): TapeToolCallEvent | "live" | undefined {
    const told = this.#secrets.cleanJson(input)
    const calls = this.#unasked.of(playing.tape.calls)
    const isSame = (call: TapeToolCallEvent): boolean =>
      call.name === name && differences(call.input, told, 1).length === 0
    const found = this.#unasked.pick(calls, isSame)
    if (found) return this.#unasked.take(playing.tape, found)
    const [first] = calls
    if (this.#goesLive(playing, first?.at)) return "live"
    const expected = calls.find((call) => call.name === name) ?? first
    this.divergences.push({
      kind: "tool_call",
      ...(expected && { at: expected.at }),
      lane: playing.tape.path,
      expected: expected ? callWords(expected.name, expected.input) : "no more tool calls",
      actual: callWords(name, told),
      differences: expected?.name === name ? differences(expected.input, told) : [],
    })
    if (this.#options.mode === "strict") return undefined
    const nearest = calls.find((call) => call.name === name)
    return nearest && this.#unasked.take(playing.tape, nearest)
  }

  #notThere(toolUse: ToolUseBlock): Parameters<TapedCall["onResult"]>[0] {
    const divergence = this.divergences.at(-1)
    const text = divergence ? divergenceText(this.#tape.file, this.#shown(divergence)) : "This call is not on the tape."
    return {
      type: "tool_result",
      id: toolUse.id,
      name: toolUse.name,
      output: [{ type: "text", text }],
      state: "error",
      metadata: { error: { code: "tape_diverged", message: text, retryable: false } },
    }
  }

  // ---- lanes

  /** Whether what follows in this lane runs live: it differs from what was recorded after the event that was changed. */
  #goesLive(playing: Playing, at: number | undefined): boolean {
    const { liveAfter } = this.#options
    if (liveAfter === undefined || (at ?? Infinity) <= liveAfter) return false
    // time goes on from where the tape was: days that lie between are not the run's
    playing.live = { offsetMs: playing.tape.now(this.#latestMs) - belowTapes().now() }
    return true
  }

  #of(lane: Lane): Playing {
    const known = this.#lanes.get(lane)
    if (known) return known
    const parent = lane.parent && this.#of(lane.parent)
    const path = parent ? childPath(parent.tape.path, lane.step) : ""
    // a tape that was recorded without lanes has all in that above
    const tape = this.#byPath.get(path) ?? this.#shared(parent?.tape, path)
    const playing: Playing = { tape, live: parent?.live }
    this.#lanes.set(lane, playing)
    this.#playing.push(playing)
    return playing
  }

  #shared(parent: LaneTape | undefined, path: string): LaneTape {
    const hasLanes = [...this.#byPath.keys()].some((known) => known !== "")
    return parent && !hasLanes ? parent : new LaneTape(path, [])
  }

  // ---- the end

  /** Ends the replay. What is left over is told, unless the run failed by itself. */
  close(outcome: "returned" | "threw"): TapeReport {
    this.#isOver = true
    const { recorded } = this.#unasked
    const used = recorded - this.#unasked.left.length
    if (this.#options.liveAfter === undefined && (outcome === "returned" || this.divergences.length > 0))
      this.#tellLeft()
    const end = this.#tape.events.at(-1)
    if (outcome === "returned" && end?.type === "end" && end.outcome === "threw" && this.divergences.length === 0) {
      const expected = `the run fails with ${end.error?.name}: ${end.error?.message}`
      const divergence = {
        kind: "outcome",
        at: end.at,
        lane: "",
        expected,
        actual: "it came to its end",
        differences: [],
      } as const
      this.divergences.push(divergence)
    }
    return { file: this.#tape.file, divergences: this.divergences, recorded, used }
  }

  #tellLeft(): void {
    for (const event of this.#unasked.left) {
      const expected =
        event.type === "request"
          ? requestWords({ method: event.method, path: pathOf(event.url) })
          : callWords(event.name, event.input)
      const lane = event.lane
      this.divergences.push({
        kind: "unused",
        at: event.at,
        lane,
        expected,
        actual: "it was not asked for",
        differences: [],
      })
    }
  }

  /** What was not asked for. */
  get left(): readonly Asked[] {
    return this.#unasked.left
  }
}

/** What is compared of a body: JSON by its value. */
function bodyOf({ body }: { readonly body: TapeRequestEvent["body"] }): unknown {
  if (body === null) return undefined
  return "json" in body ? body.json : "text" in body ? body.text : body
}
