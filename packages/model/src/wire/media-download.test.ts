import { getEventListeners } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { type MediaBlock, type Msg, userMsg } from "@agentscope-ts/message"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { Formatter } from "../formatter.ts"
import { ChatWire } from "./chat-wire.ts"
import { HistoryFormatter } from "./history-formatter.ts"
import { MappedFormatter } from "./mapped-formatter.ts"
import { loadMedia } from "./media.ts"
import { type PartsRole, PartsFormatter } from "./parts-formatter.ts"
import { TextCollector } from "./post.ts"
import { targetOf } from "./target.ts"
import { usualMediaForms } from "./usual-media-forms.ts"

const png = "\x89PNG\r\n\x1a\n rest"
const forms = usualMediaForms<string>({ kinds: ["image"], sent: (_, { mediaType }) => mediaType })

class Parts extends PartsFormatter<readonly string[], string> {
  constructor() {
    super(forms)
  }
  override message = (_: PartsRole, parts: readonly string[]) => parts
  override text = (text: string) => text
  protected override thinking = () => undefined
  protected override call = () => undefined
  protected override result = () => undefined
}
class Talk extends HistoryFormatter<readonly string[], string> {
  constructor() {
    super({ chat: new Parts(), media: forms, kinds: ["image"], text: (text) => text })
  }
  protected override message = (_: string, parts: readonly string[]) => parts
}
/** As one that may leave old messages out: the history goes through `format` as a whole. */
class Whole extends Parts {
  override get incremental(): boolean {
    return false
  }
}
class Answer extends TextCollector {
  salvage(): void {}
}
const every: [string, Formatter][] = [
  ["message by message", new Parts()],
  ["as a whole", new Whole()],
  ["as talk", new Talk()],
  ["behind a change of the wire", new MappedFormatter(new Parts(), (wire) => wire)],
]

let server: Server
let url: string
let open = 0
let whole = false
const closings: (() => void)[] = []
beforeEach(async () => {
  open = 0
  whole = false
  server = createServer((request, response) => {
    if (request.url === "/answer") return void response.end("answer")
    open++
    response.on("close", () => {
      open--
      for (const closed of closings.splice(0)) closed()
    })
    response.writeHead(200, { "content-type": "image/png" })
    if (whole) response.end(png, "latin1")
    // the rest never comes
    else response.write(png, "latin1")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => new Promise<void>((resolve) => (server.closeAllConnections(), server.close(() => resolve()))))

const closed = () => new Promise<void>((resolve) => closings.push(resolve))
const begun = () => expect.poll(() => open).toBe(1)
const image = (): MediaBlock => ({ type: "image", source: { type: "url", url: `${url}/a.png` } })
const post = (formatter: Formatter, more: { signal?: AbortSignal; fetch?: typeof fetch }) => {
  const target = targetOf(`${url}/answer`, {})
  const messages: readonly Msg[] = [userMsg([image()])]
  const request = { messages, signal: more.signal }
  return new ChatWire({ fetch: more.fetch }).post({
    target,
    formatter,
    request,
    head: "[",
    tail: "]",
    answer: new Answer(),
  })
}

describe.each(every)("the download of a medium, %s,", (_, formatter) => {
  it("ends with the request's signal, and leaves nothing behind", async () => {
    const controller = new AbortController()
    const posted = post(formatter, { signal: controller.signal })
    await begun()
    const done = closed()
    controller.abort(new Error("enough"))
    await expect(posted).rejects.toMatchObject({ code: "aborted" })
    await done
    expect(getEventListeners(controller.signal, "abort")).toEqual([])
  })

  it("goes through the model's own fetch", async () => {
    whole = true
    const asked: string[] = []
    const fetch: typeof globalThis.fetch = (input, init) => {
      asked.push(new URL(new Request(input).url).pathname)
      return globalThis.fetch(input, init)
    }
    await post(formatter, { fetch })
    expect(asked).toEqual(["/a.png", "/answer"])
  })
})

it("a formatter is still called with messages alone", async () => {
  whole = true
  expect(await new Parts().format([userMsg([image()])])).toEqual([["image/png"]])
})

it("an answer that is no success is not read on", async () => {
  const refusing: typeof fetch = async (input, init) => new Response((await fetch(input, init)).body, { status: 404 })
  const done = closed()
  await expect(loadMedia({ type: "url", url: `${url}/a.png` }, "image", { fetch: refusing })).rejects.toThrow(
    /answered 404/,
  )
  await done
})
