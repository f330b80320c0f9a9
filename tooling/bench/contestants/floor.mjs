// A bare loop over fetch.
import { bareLoop } from "./loop.mjs"

/** `options.wire`: the wire format, `chat` unless given. */
export async function open({ url, tools, options = {} }) {
  // the one that is asked for: a floor loads no more than it needs
  const wire = await import(`../wires/${options.wire ?? "chat"}.mjs`)
  const { origin } = new URL(url)
  const headers = { "content-type": "application/json", authorization: "Bearer bench", ...wire.client.headers }
  const streamHeaders = { ...headers, ...wire.client.streamHeaders }
  const post = async (path, body, onText, stream) => {
    const response = await fetch(origin + path, { method: "POST", headers: stream ? streamHeaders : headers, body })
    const decoder = new TextDecoder()
    for await (const part of response.body) onText(decoder.decode(part, { stream: true }))
  }
  return { agent: bareLoop(post, tools, wire) }
}
