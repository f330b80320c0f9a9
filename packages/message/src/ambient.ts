import { onAbort } from "./abort.ts"
import type { ToolUseBlock } from "./blocks.ts"
import type { TapedCall } from "./taped-call.ts"

/**
 * The one seam through which AgentScope reaches the world: time, ids, chance and the transport. A tape replaces it to record
 * and replay whole runs; nothing else in the framework reads a clock or makes an id on its own.
 */
export interface Ambient {
  /** Milliseconds since 1970. */
  now(): number
  /** Resolves after `ms`; rejects with `signal.reason` as soon as the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** A new id: 16 characters of `A-Z a-z 0-9 - _`. */
  newId(): string
  /** A random number from 0, which may come, up to 1, which may not. */
  random(): number
  /** Wraps the `fetch` that a request would use. Present only under a tape: requests then need no API key. */
  readonly transport?: ((fetch: typeof globalThis.fetch) => typeof globalThis.fetch) | undefined
  /**
   * Does the work of somebody who may run beside others, such as an agent. Present only under a tape, which keeps what each
   * of them does apart.
   */
  readonly within?: (<T>(name: string, work: () => T) => T) | undefined
  /** Hears of a tool call that is about to run, and may answer it. Present only under a tape. */
  readonly toolCall?: ((toolUse: ToolUseBlock) => TapedCall) | undefined
}

// 93 random bits in a flat string of 16 characters: a UUID takes 490 bytes of heap as a rope, and importing crypto 8 ms
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
const codes = Uint8Array.from(alphabet, (char) => char.charCodeAt(0))
const chars = Array.from({ length: 16 }, () => 0)

function randomId(): string {
  for (let i = 0; i < 16; i += 4) {
    let bits = Math.random() * 0x1000000
    for (let k = 0; k < 4; k++) {
      chars[i + k] = codes[bits & 63] as number
      bits /= 64
    }
  }
  return String.fromCharCode.apply(null, chars)
}

// a longer timer fires at once
const longest = 2 ** 31 - 1

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const timer = setTimeout(
      () => {
        off()
        resolve()
      },
      Math.min(ms, longest),
    )
    const off = onAbort(signal, () => {
      clearTimeout(timer)
      off()
      reject(signal?.reason)
    })
  })
}

const real: Ambient = { now: () => Date.now(), sleep, newId: randomId, random: () => Math.random() }

// on globalThis, so that two installed copies of this package share one seam
const key = Symbol.for("agentscope.ambient")
const layersKey = Symbol.for("agentscope.ambient.layers")
type Holder = { [key]?: Ambient; [layersKey]?: Partial<Ambient>[] }
const holder = globalThis as Holder

/** The seam in force. */
export function ambient(): Ambient {
  return holder[key] ?? real
}

/**
 * Puts `changes` over the seam in force and returns the function that takes exactly them away again, in whatever order
 * several are taken away.
 */
export function replaceAmbient(changes: Partial<Ambient>): () => void {
  const layers = (holder[layersKey] ??= [])
  const layer = Object.defineProperties({}, Object.getOwnPropertyDescriptors(changes))
  layers.push(layer)
  holder[key] = seamOf(layers)
  return () => {
    const at = layers.indexOf(layer)
    if (at < 0) return
    layers.splice(at, 1)
    if (layers.length > 0) holder[key] = seamOf(layers)
    else delete holder[key]
  }
}

/** What a layer computes when it is asked for (a getter) is asked for each time. */
function seamOf(layers: readonly Partial<Ambient>[]): Ambient {
  const seam = { ...real }
  for (const layer of layers) Object.defineProperties(seam, Object.getOwnPropertyDescriptors(layer))
  return seam
}

/** A new id from the seam: 16 characters of `A-Z a-z 0-9 - _`. */
export function newId(): string {
  const seam = holder[key]
  return seam === undefined ? randomId() : seam.newId()
}

let lastMs = 0
let lastIso = ""

/** The seam's time as ISO 8601 in UTC, with milliseconds. */
export function isoNow(): string {
  const ms = ambient().now()
  if (ms !== lastMs || lastIso === "") {
    lastMs = ms
    lastIso = new Date(ms).toISOString()
  }
  return lastIso
}
