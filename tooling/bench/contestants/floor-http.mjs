// The same loop over node:http with kept-alive connections.
import { Agent, request } from "node:http"
import * as chat from "../wires/chat.mjs"
import { bareLoop } from "./loop.mjs"

/** `around` runs each request, for those who add to it. */
export async function open({ url, tools, around = (work) => work() }) {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: Number.POSITIVE_INFINITY })
  const { hostname, port } = new URL(url)
  const post = (path, body, onText) =>
    new Promise((resolve, reject) => {
      const bytes = Buffer.from(body)
      const headers = {
        "content-type": "application/json",
        authorization: "Bearer bench",
        "content-length": bytes.length,
      }
      const sent = request({ agent, hostname, port, path, method: "POST", headers }, (response) => {
        response.setEncoding("utf8")
        response.on("data", onText)
        response.on("end", resolve)
        response.on("error", reject)
      })
      sent.on("error", reject)
      sent.end(bytes)
    })
  return { agent: bareLoop((path, body, onText) => around(() => post(path, body, onText)), tools, chat) }
}
