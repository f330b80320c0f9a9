// A bare loop over fetch.
import { bareLoop } from "./loop.mjs"

export async function open({ url, tools }) {
  const endpoint = `${url}/chat/completions`
  const headers = { "content-type": "application/json", authorization: "Bearer bench" }
  const post = async (body, onText) => {
    const response = await fetch(endpoint, { method: "POST", headers, body })
    const decoder = new TextDecoder()
    for await (const part of response.body) onText(decoder.decode(part, { stream: true }))
  }
  return { agent: bareLoop(post, tools) }
}
