// What the loopback model answers: a pure function of the request's bytes. The script is the request's `model`:
//   text-N     N deltas of plain text, all at once     plain-N   the same in words of 5 characters
//   mixed-N    N deltas of text, some beyond ASCII and some that JSON escapes
//   paced-N    N deltas of text, one every 2 ms
//   rounds-K   K rounds of one call of `add`, then text
//   fan-P      P parallel calls of `wait`, then text
//   args-N     one call of `write` whose arguments take N deltas, then text
// A request that asks for no stream gets the same answer as JSON. wires/ has the formats.

import { wires } from "./wires/index.mjs"

const words = [
  " the",
  " model",
  ",",
  " writes",
  " short",
  " pieces",
  ".",
  " Some",
  " of",
  " them",
  " are",
  " longer",
  "!",
]
const mixed = [...words, " “quoted”", "\n", " 你好", ' "again"']
const latin = [" abcd", " efgh", " ijkl", " mnop", " qrst", " uvwx"]
const take = (list, n, from = 0) => Array.from({ length: n }, (_, i) => list[(i + from) % list.length])

let responses = 0

/**
 * The answer to a request's body: its content type, the body in pieces, and the pause between two of them.
 * @returns {{ contentType: string, pieces: Buffer[], pauseMs: number, script: string }}
 */
export function answerTo(body, wire = wires.chat, path = "") {
  const script = wire.modelOf?.(path) ?? between(body, '"model":"', '"')
  const [kind, count] = script.split("-")
  const n = Number(count)
  const message = messageOf(kind, n, occurrences(body, wire.resultMark))
  if (!wire.streams(path, body)) {
    const pieces = [Buffer.from(JSON.stringify(wire.whole(script, message)))]
    return { script, contentType: "application/json", pieces, pauseMs: 0 }
  }
  const events = wire.streamed(script, message)
  const pieces =
    kind === "paced"
      ? paced(events, wire.headEvents).map((text) => Buffer.from(text))
      : [burst(wire.name, script, events)]
  return { script, contentType: wire.contentType, pieces, pauseMs: kind === "paced" ? 2 : 0 }
}

function messageOf(kind, n, toolMessages) {
  const done = { text: ["It", " is", " done", "."], calls: [] }
  switch (kind) {
    case "text":
    case "paced":
      return { text: take(words, n), calls: [] }
    case "mixed":
      return { text: take(mixed, n), calls: [] }
    case "plain":
      return { text: take(latin, n, responses), calls: [] }
    case "rounds":
      if (toolMessages >= n) return done
      return { text: [], calls: [call("add", [`{"a":${toolMessages}`, `,"b":7}`])] }
    case "fan":
      if (toolMessages > 0) return done
      return { text: [], calls: take([0], n).map((_, i) => call("wait", [`{"n":${i}}`])) }
    case "args":
      if (toolMessages > 0) return done
      return {
        text: [],
        calls: [call("write", ['{"text":"', ...take([" some", " more", " text", "\\n"], n - 2), '"}'])],
      }
    default:
      return done
  }
}

const call = (name, pieces) => ({ id: `call_${(++responses).toString(36)}`, name, pieces })

/** A piece an event, but what comes before the first text is one piece: it is sent at once. */
const paced = (events, head = 0) => (head > 1 ? [events.slice(0, head).join(""), ...events.slice(head)] : events)

/** Long texts are encoded once; answers with calls differ each time. */
const cache = new Map()
function burst(wire, script, events) {
  if (events.length < 1000) return Buffer.from(events.join(""))
  const key = `${wire} ${script} ${events.length}`
  let bytes = cache.get(key)
  if (!bytes) cache.set(key, (bytes = Buffer.from(events.join(""))))
  return bytes
}

function between(body, before, after) {
  const start = body.indexOf(before) + before.length
  return body.toString("latin1", start, body.indexOf(after, start))
}

function occurrences(body, text) {
  let count = 0
  for (let at = body.indexOf(text); at >= 0; at = body.indexOf(text, at + text.length)) count++
  return count
}
