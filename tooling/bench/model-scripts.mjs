// What the loopback model answers: a pure function of the request's bytes. The script is the request's `model`:
//   text-N     N deltas of plain text, all at once     plain-N   the same in words of 5 characters
//   mixed-N    N deltas of text, some beyond ASCII and some that JSON escapes
//   paced-N    N deltas of text, one every 2 ms
//   rounds-K   K rounds of one call of `add`, then text
//   fan-P      P parallel calls of `wait`, then text
//   args-N     one call of `write` whose arguments take N deltas, then text
// Without `"stream":true` the same answers come as JSON.

const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }
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
export function answerTo(body) {
  const script = between(body, '"model":"', '"')
  const [kind, count] = script.split("-")
  const n = Number(count)
  const toolMessages = occurrences(body, '"role":"tool"')
  const message = messageOf(kind, n, toolMessages)
  if (!body.includes('"stream":true')) {
    return { script, contentType: "application/json", pieces: [completion(script, message)], pauseMs: 0 }
  }
  const events = streamed(script, message)
  const pieces = kind === "paced" ? events.map((event) => Buffer.from(event)) : [burst(script, events)]
  return { script, contentType: "text/event-stream", pieces, pauseMs: kind === "paced" ? 2 : 0 }
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

/** The events of a stream, shaped like those of OpenAI: a role first, usage in a last chunk without choices. */
function streamed(model, { text, calls }) {
  const head = {
    id: `chatcmpl-${(++responses).toString(36)}`,
    object: "chat.completion.chunk",
    created: 1764547200,
    model,
    service_tier: "default",
    system_fingerprint: "fp_0a1b2c3d4e",
  }
  const chunk = (delta, finish_reason = null) =>
    sse({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason }], usage: null })
  const events = [chunk({ role: "assistant", content: calls.length > 0 ? null : "", refusal: null })]
  for (const piece of text) events.push(chunk({ content: piece }))
  for (const [index, { id, name, pieces }] of calls.entries()) {
    events.push(chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }))
    for (const piece of pieces) events.push(chunk({ tool_calls: [{ index, function: { arguments: piece } }] }))
  }
  events.push(chunk({}, calls.length > 0 ? "tool_calls" : "stop"))
  events.push(sse({ ...head, choices: [], usage }), "data: [DONE]\n\n")
  return events
}

const sse = (value) => `data: ${JSON.stringify(value)}\n\n`

/** Long texts are encoded once; answers with calls differ each time. */
const cache = new Map()
function burst(script, events) {
  if (events.length < 1000) return Buffer.from(events.join(""))
  const key = `${script} ${events.length}`
  let bytes = cache.get(key)
  if (!bytes) cache.set(key, (bytes = Buffer.from(events.join(""))))
  return bytes
}

function completion(model, { text, calls }) {
  const tool_calls = calls.map(({ id, name, pieces }) => ({
    id,
    type: "function",
    function: { name, arguments: pieces.join("") },
  }))
  const content = calls.length > 0 ? null : text.join("")
  const message = { role: "assistant", content, refusal: null, ...(calls.length > 0 ? { tool_calls } : {}) }
  const finish_reason = calls.length > 0 ? "tool_calls" : "stop"
  return Buffer.from(
    JSON.stringify({
      id: `chatcmpl-${(++responses).toString(36)}`,
      object: "chat.completion",
      created: 1764547200,
      model,
      choices: [{ index: 0, message, logprobs: null, finish_reason }],
      usage,
    }),
  )
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
