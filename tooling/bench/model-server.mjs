// The loopback model of no latency, in a process of its own: prints its port, answers by model-scripts.mjs, and knows when
// the first request of each script came in. Everything below /v1/traces is a sink that counts the spans sent to it.
import { createServer } from "node:http"
import { answerTo } from "./model-scripts.mjs"
import { wireAt } from "./wires/index.mjs"

const firstSeen = new Map()
let spans = 0

const server = createServer((request, response) => {
  const now = performance.timeOrigin + performance.now()
  const parts = []
  request.on("data", (part) => parts.push(part))
  request.on("end", () => {
    const body = parts.length === 1 ? parts[0] : Buffer.concat(parts)
    if (request.method === "GET") return facts(response)
    if (request.url.endsWith("/v1/traces")) {
      spans += body.toString("latin1").split('"spanId"').length - 1
      response.writeHead(200, { "content-type": "application/json" })
      return response.end("{}")
    }
    const answer = answerTo(body, wireAt(request.url), request.url)
    if (!firstSeen.has(answer.script)) firstSeen.set(answer.script, now)
    response.writeHead(200, { "content-type": answer.contentType })
    if (answer.pieces.length === 1) return response.end(answer.pieces[0])
    return pace(response, answer.pieces, answer.pauseMs)
  })
})

function facts(response) {
  response.writeHead(200, { "content-type": "application/json" })
  response.end(JSON.stringify({ firstSeen: Object.fromEntries(firstSeen), spans }))
}

/** The last three pieces (finish, usage, end) follow the last delta at once. */
function pace(response, pieces, pauseMs) {
  let next = 0
  const send = () => {
    response.write(pieces[next++])
    if (next < pieces.length - 3) return setTimeout(send, pauseMs)
    return response.end(Buffer.concat(pieces.slice(next)))
  }
  response.socket.setNoDelay(true)
  response.write(pieces[next++])
  send()
}

server.keepAliveTimeout = 600_000
server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, () => console.log(server.address().port))
process.on("disconnect", () => process.exit(0))
