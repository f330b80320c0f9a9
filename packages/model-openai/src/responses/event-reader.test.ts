import { cassettesOf } from "@agentscope-ts/fixtures"
import { type ChatDelta, replaceAmbient } from "@agentscope-ts/message"
import { SseReader } from "@agentscope-ts/model/wire"
import { describe, expect, it } from "vitest"
import { Recorder } from "../fixtures/stream.ts"
import { EventReader } from "./event-reader.ts"
import { noTools, requestTools } from "./request-tools.ts"

/** An event of a Responses stream, with its name before it as OpenAI has it. */
const sse = (event: { readonly type: string }): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

type Event = { readonly type: string } & Record<string, unknown>

function read(text: string, frames: number | false = false, pieces: readonly number[] = [], tools = noTools) {
  const sink = new Recorder()
  const events = new EventReader(sink, { label: "openai/m", provider: "openai", frames, tools })
  const reader = new SseReader(events.onEvent, undefined, frames === false ? undefined : events.shortcut)
  let error: unknown
  let ids = 0
  const restore = replaceAmbient({ newId: () => `id-${++ids}` })
  try {
    let from = 0
    for (const to of [...pieces, text.length]) {
      reader.push(text.slice(from, to))
      from = to
    }
    reader.end()
    events.complete()
  } catch (caught) {
    error = caught
  } finally {
    restore()
  }
  return { deltas: sink.deltas, ends: sink.ends, id: sink.id, error }
}

const stream = (...events: readonly Event[]) => read(events.map(sse).join(""))
const item = (output_index: number, item: object): Event => ({ type: "response.output_item.added", output_index, item })
const itemDone = (output_index: number, item: object): Event => ({
  type: "response.output_item.done",
  output_index,
  item,
})
const text = (output_index: number, delta: string, content_index = 0): Event => ({
  type: "response.output_text.delta",
  output_index,
  content_index,
  delta,
})
const json = (output_index: number, delta: string): Event => ({
  type: "response.function_call_arguments.delta",
  output_index,
  delta,
})
const completed: Event = { type: "response.completed", response: { id: "resp_1", output: [] } }
const call = (id: string, name: string, rest: object = {}) => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name,
  arguments: "",
  ...rest,
})
const message = (said: string, rest: object = {}) => ({
  type: "message",
  role: "assistant",
  id: "msg_1",
  content: [{ type: "output_text", text: said, annotations: [] }],
  ...rest,
})

/** The deltas in short. */
const told = (deltas: readonly ChatDelta[]) =>
  deltas.map((delta) => {
    if (delta.type === "block_end") return { [delta.index]: delta.block }
    if (delta.type === "tool_use_start") return `${delta.index} ${delta.id} ${delta.name}`
    return `${delta.index} ${delta.type === "tool_use_delta" ? delta.json : delta.text}`
  })

describe("the events of a response", () => {
  it("become blocks in their order, and the end has what the response says", () => {
    const { deltas, ends, id } = stream(
      { type: "response.created", response: { id: "resp_1", output: [] } },
      item(0, { type: "message", content: [] }),
      text(0, "Let me "),
      text(0, "look."),
      itemDone(0, message("Let me look.")),
      item(1, call("c1", "look")),
      json(1, '{"a":'),
      json(1, "1}"),
      itemDone(1, call("c1", "look", { arguments: '{"a":1}' })),
      {
        type: "response.completed",
        response: { id: "resp_1", output: [], usage: { input_tokens: 7, output_tokens: 2 } },
      },
    )
    expect(told(deltas)).toEqual(["0 Let me ", "0 look.", "1 c1 look", '1 {"a":', "1 1}"])
    expect(id).toBe("resp_1")
    expect(ends).toEqual([
      { id: "resp_1", stopReason: "stop", usage: expect.objectContaining({ inputTokens: 7 }) as object },
    ])
  })

  it("keep parallel calls apart whose pieces come interleaved", () => {
    const { deltas } = stream(
      item(0, call("a", "one")),
      item(1, call("b", "two")),
      json(1, '{"b":'),
      json(0, '{"a":'),
      json(1, "2}"),
      json(0, "1}"),
      itemDone(1, call("b", "two", { arguments: '{"b":2}' })),
      itemDone(0, call("a", "one", { arguments: '{"a":1}' })),
      completed,
    )
    expect(told(deltas)).toEqual(["0 a one", "1 b two", '1 {"b":', '0 {"a":', "1 2}", "0 1}"])
  })

  it("are the same where only the end of each item, or of all, tells what is in it", () => {
    const items = [message("Hi"), call("c", "look", { arguments: '{"a":1}' })]
    const whole = ["0 Hi", "1 c look", '1 {"a":1}']
    const response = { id: "resp_1", output: items }
    expect(told(stream(...items.map((one, i) => itemDone(i, one)), completed).deltas)).toEqual(whole)
    expect(told(stream({ type: "response.completed", response }).deltas)).toEqual(whole)
    // places may be counted in another way at the end: the id says what was told
    const places = [itemDone(3, items[0] as object), itemDone(4, items[1] as object)]
    expect(told(stream(...places, { type: "response.completed", response }).deltas)).toEqual(whole)
    // told once, whatever is told again
    const again = stream(item(0, { type: "message" }), text(0, "H"), itemDone(0, items[0] as object), {
      type: "response.completed",
      response,
    })
    expect(told(again.deltas)).toEqual(["0 H", "0 i", "1 c look", '1 {"a":1}'])
  })

  it("tell items apart by id where a server leaves out their places", () => {
    const piece = (item_id: string, delta: string) => ({ type: "response.output_text.delta", item_id, delta })
    const { deltas } = stream(piece("m1", "a"), piece("m2", "b"), piece("m1", "c"), completed)
    expect(told(deltas)).toEqual(["0 a", "1 b", "2 c"])
  })

  it("tell items apart by id where a server gives a place twice", () => {
    const said = message("Hi")
    const search = { type: "web_search_call", id: "ws_1" }
    const { deltas } = stream(itemDone(0, search), { ...text(0, "Hi"), item_id: "msg_1" }, itemDone(0, said), {
      type: "response.completed",
      response: { id: "r", output: [search, said] },
    })
    expect(told(deltas).slice(1)).toEqual(["1 Hi"])
  })

  it("are one item where a server gives it another id in each event", () => {
    const { deltas } = stream(
      item(0, { type: "message", id: "a" }),
      { ...text(0, "H"), item_id: "b" },
      { ...text(0, "i"), item_id: "c" },
      itemDone(0, message("Hi", { id: "d" })),
      { type: "response.completed", response: { id: "r", output: [message("Hi", { id: "e" })] } },
    )
    expect(told(deltas)).toEqual(["0 H", "0 i"])
  })

  it.each([
    ["with the items and not with their pieces", true, false],
    ["with the pieces and not with their items", false, true],
  ])("belong together where their places stand %s", (_, onItems, onPieces) => {
    const without = ({ output_index, ...event }: Event, keep: boolean, rest: object = {}): Event => ({
      ...event,
      ...rest,
      ...(keep && { output_index }),
    })
    const items = [{ type: "reasoning", id: "rs" }, message("", { id: "m" }), call("c", "look")]
    const ends = [
      { type: "reasoning", id: "rs", summary: [], encrypted_content: "E" },
      message("Hello", { id: "m" }),
      call("c", "look", { arguments: '{"a":1}' }),
    ]
    const pieces = [
      [{ type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: 0, delta: "Hm" }],
      [text(1, "Hel"), text(1, "lo")],
      [json(2, '{"a"'), json(2, ":1}")],
    ]
    for (const named of [true, false]) {
      const ids = ["rs", "m", "fc_c"].map((item_id) => (named ? { item_id } : {}))
      const events = items.flatMap((one, i) => [
        without(item(i, one), onItems),
        ...(pieces[i] ?? []).map((piece) => without(piece, onPieces, ids[i])),
        without(itemDone(i, ends[i] as object), onItems),
      ])
      for (const output of [[], ends]) {
        const { deltas, ends: end } = stream(...events, { type: "response.completed", response: { id: "r", output } })
        const calls = ["2 c look", '2 {"a"', "2 :1}"]
        expect(told(deltas).filter((one) => typeof one === "string")).toEqual(["0 Hm", "1 Hel", "1 lo", ...calls])
        expect(end[0]?.stopReason).toBe("stop")
      }
    }
  })

  it("are heard where there are no pieces, but all of a text or input in one event", () => {
    const done = (type: string, output_index: number, rest: object): Event => ({
      type: `response.${type}.done`,
      output_index,
      ...rest,
    })
    const { deltas } = stream(
      done("reasoning_summary_text", 0, { text: "Hm", summary_index: 0 }),
      done("output_text", 1, { text: "Hi", content_index: 0 }),
      item(2, call("c", "look")),
      done("function_call_arguments", 2, { arguments: '{"a":1}' }),
      item(3, { ...call("d", "sql"), type: "custom_tool_call" }),
      done("custom_tool_call_input", 3, { input: "x" }),
      // what was said is not said again, and what was left out is
      text(4, "He"),
      done("output_text", 4, { text: "Hello", content_index: 0 }),
      done("output_text", 4, { text: "Hello", content_index: 0 }),
      completed,
    )
    const calls = ["2 c look", '2 {"a":1}', "3 d sql", '3 {"input":"', "3 x"]
    expect(told(deltas)).toEqual(["0 Hm", "1 Hi", ...calls, "4 He", "4 llo"])
  })

  it("tell a refusal by its pieces, or whole, or with its item, once", () => {
    const piece = (delta: string): Event => ({
      type: "response.refusal.delta",
      output_index: 0,
      content_index: 0,
      delta,
    })
    const whole: Event = { type: "response.refusal.done", output_index: 0, content_index: 0, refusal: "I cannot." }
    const end = itemDone(0, message("", { content: [{ type: "refusal", refusal: "I cannot." }] }))
    for (const events of [
      [piece("I can"), piece("not.")],
      [whole],
      [end],
      [piece("I can"), piece("not."), whole, end],
    ]) {
      expect(stream(...events, completed).ends[0]).toMatchObject({ stopReason: "refusal", refusal: "I cannot." })
    }
  })

  it("need neither the line with their name nor anything in it but the data", () => {
    const events = [text(0, "Hi"), completed].map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")
    expect(told(read(events).deltas)).toEqual(["0 Hi"])
    const named = `event: response.output_text.delta\ndata: {"output_index":0,"delta":"Hi"}\n\n${sse(completed)}`
    expect(told(read(named).deltas)).toEqual(["0 Hi"])
  })

  it("tell reasoning as thinking, part by part, and keep the item with the last", () => {
    const summary = [
      { type: "summary_text", text: "First" },
      { type: "summary_text", text: "Second" },
    ]
    const reasoning = { type: "reasoning", id: "rs_1", encrypted_content: "gAAA", summary, status: null }
    const piece = (summary_index: number, delta: string) => ({
      type: "response.reasoning_summary_text.delta",
      output_index: 0,
      summary_index,
      delta,
    })
    const { deltas } = stream(
      item(0, { type: "reasoning" }),
      piece(0, "First"),
      piece(1, "Sec"),
      itemDone(0, reasoning),
      completed,
    )
    const { status: _, ...data } = reasoning
    const opaque = { provider: "openai", data }
    expect(told(deltas)).toEqual(["0 First", "1 Sec", "1 ond", { 1: { type: "thinking", thinking: "Second", opaque } }])
  })

  it("tell reasoning that shows nothing as an empty block that only carries it", () => {
    const hidden = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" }
    const { deltas } = stream(itemDone(0, hidden), completed)
    expect(told(deltas)).toEqual([
      { 0: { type: "thinking", thinking: "", opaque: { provider: "openai", data: hidden } } },
    ])
    const nothing = { type: "reasoning", id: "rs_1", summary: [] }
    const stateless = { type: "response.created", response: { id: "r", store: false } }
    expect(stream(stateless, itemDone(0, nothing), completed).deltas).toEqual([])
  })

  it("keep what goes with a text: its phase, and what it cites", () => {
    const annotations = [{ type: "url_citation", url: "https://x.test", start_index: 0, end_index: 2 }]
    const content = [{ type: "output_text", text: "Hi", annotations }]
    const { deltas } = stream(itemDone(0, message("Hi", { content, phase: "final_answer" })), completed)
    const data = { type: "message", phase: "final_answer", annotations }
    expect(told(deltas)).toEqual(["0 Hi", { 0: { type: "text", text: "Hi", opaque: { provider: "openai", data } } }])
  })

  it("keep the phase with each part of a message", () => {
    const part = (content_index: number, said: string) => ({
      type: "response.content_part.done",
      output_index: 0,
      content_index,
      part: { type: "output_text", text: said, annotations: [] },
    })
    const { deltas } = stream(
      item(0, { type: "message", phase: "commentary" }),
      text(0, "a"),
      part(0, "a"),
      text(0, "b", 1),
      part(1, "b"),
      itemDone(0, { type: "message", phase: "commentary", content: [part(0, "a").part, part(1, "b").part] }),
      completed,
    )
    const opaque = { provider: "openai", data: { type: "message", phase: "commentary" } }
    expect(told(deltas)).toEqual([
      "0 a",
      { 0: { type: "text", text: "a", opaque } },
      "1 b",
      { 1: { type: "text", text: "b", opaque } },
    ])
  })

  it("keep calls of the provider's own tools whole, in their place", () => {
    const search = { type: "web_search_call", id: "ws_1", status: "completed", action: { query: "x" } }
    const { deltas } = stream(
      item(0, { type: "web_search_call" }),
      itemDone(0, search),
      itemDone(1, message("Hi")),
      completed,
    )
    const opaque = { provider: "openai", data: search }
    expect(told(deltas)).toEqual([{ 0: { type: "thinking", thinking: "", opaque } }, "1 Hi"])
  })

  it("tell a picture that was made as a picture", () => {
    const made = {
      type: "image_generation_call",
      id: "ig_1",
      status: "completed",
      result: "iVBORw0KGgo=",
      output_format: "webp",
    }
    const { deltas } = stream(itemDone(0, made), completed)
    const { result: data, ...rest } = made
    const source = { type: "base64", mediaType: "image/webp", data }
    expect(told(deltas)).toEqual([{ 0: { type: "image", source, opaque: { provider: "openai", data: rest } } }])
  })

  it("give a free text as the input of its call, whatever is in it", () => {
    const said = 'SELECT "a\\b"\n😀'
    const free = { type: "custom_tool_call", id: "ct_1", call_id: "c1", name: "sql", input: "" }
    const piece = (delta: string) => ({ type: "response.custom_tool_call_input.delta", output_index: 0, delta })
    const cut = said.indexOf("😀") + 1
    const { deltas } = stream(
      item(0, free),
      piece(said.slice(0, 5)),
      piece(said.slice(5, cut)),
      piece(said.slice(cut)),
      itemDone(0, { ...free, input: said }),
      completed,
    )
    const pieces = deltas.map((delta) => (delta.type === "tool_use_delta" ? delta.json : "")).join("")
    expect(JSON.parse(pieces)).toEqual({ input: said })
    const opaque = { provider: "openai", data: { type: "custom_tool_call" } }
    expect(deltas.at(-1)).toEqual({
      type: "block_end",
      index: 0,
      block: { type: "tool_use", id: "c1", name: "sql", input: { input: said }, opaque },
    })
  })

  it("give a call an id of its own where the server gives none, and hold back one without a name", () => {
    const { deltas } = stream(
      json(0, '{"a":1}'),
      itemDone(0, { type: "function_call", name: "look", arguments: '{"a":1}' }),
      completed,
    )
    expect(told(deltas)).toEqual(["0 call_id-1 look", '0 {"a":1}'])
    const nameless = stream(item(0, { type: "function_call", call_id: "c" }), json(0, "{}"), completed)
    expect(nameless.ends[0]?.stopReason).toBe("malformed_tool_call")
  })

  it("keep the words of a refusal apart from what is said", () => {
    const content = [{ type: "refusal", refusal: "I cannot." }]
    const { deltas, ends } = stream(itemDone(0, message("", { content })), completed)
    expect(deltas).toEqual([])
    expect(ends).toMatchObject([{ stopReason: "refusal", refusal: "I cannot." }])
  })

  it.each([
    ["max_output_tokens", "length"],
    ["content_filter", "content_filter"],
    ["something_new", "length"],
  ])("that end incomplete by %s stop with %s", (reason, stopReason) => {
    const response = { id: "r", output: [message("Hi")], incomplete_details: { reason } }
    const { deltas, ends } = stream({ type: "response.incomplete", response })
    expect(told(deltas)).toEqual(["0 Hi"])
    expect(ends[0]?.stopReason).toBe(stopReason)
    // some name the event as if all were well
    const named = stream({ type: "response.completed", response: { ...response, status: "incomplete" } })
    expect(named.ends[0]?.stopReason).toBe(stopReason)
  })
})

describe("FR-07 an error inside a stream", () => {
  it.each([
    [
      "an error event",
      { type: "error", error: { type: "rate_limit_error", code: "rate_limit_exceeded", message: "Slow" } },
      "rate_limited",
      true,
    ],
    ["an error event as it was before", { type: "error", code: "server_error", message: "Oh" }, "server_error", true],
    [
      "a failed response",
      { type: "response.failed", response: { id: "r", error: { code: "server_error", message: "Oh" } } },
      "server_error",
      true,
    ],
    ["a failed response without a word", { type: "response.failed", response: { id: "r" } }, "server_error", true],
    [
      "a failed response under the name of a completed one",
      {
        type: "response.completed",
        response: { id: "r", status: "failed", error: { code: "server_error", message: "Oh" } },
      },
      "server_error",
      true,
    ],
    ["a cancelled response", { type: "response.cancelled", response: { id: "r" } }, "server_error", true],
    ["a gateway's error", { error: { code: 502, message: "provider_unavailable" } }, "server_error", true],
    [
      "no more money",
      { type: "response.failed", response: { error: { code: "insufficient_quota", message: "Pay" } } },
      "quota_exceeded",
      false,
    ],
  ])("%s is an error with a code, and what came before it was told", (_, event, code, retryable) => {
    const { deltas, ends, error } = read(`${sse(text(0, "Hel"))}data: ${JSON.stringify(event)}\n\n`)
    expect(told(deltas)).toEqual(["0 Hel"])
    expect(ends).toEqual([])
    expect(error).toMatchObject({ code, retryable })
  })

  it("the same under the name of an error, JSON or not", () => {
    expect(read("event: error\ndata: overloaded\n\n").error).toMatchObject({ code: "overloaded" })
    expect(read('event: error\ndata: {"message":"Oh","code":"server_error"}\n\n').error).toMatchObject({
      code: "server_error",
    })
  })

  it("a stream that just ends has no end", () => {
    expect(stream(item(0, { type: "message" }), text(0, "Hel")).ends).toEqual([])
    expect(read(`${sse(text(0, "Hel"))}data: [DONE]\n\n`).ends).toEqual([])
  })

  it("but where all items ended, [DONE] is as good as the response", () => {
    const { ends } = read(`${sse(itemDone(0, message("Hi")))}data: [DONE]\n\n`)
    expect(ends).toMatchObject([{ stopReason: "stop" }])
  })

  it("an event that is cut or no object is malformed", () => {
    expect(read('data: {"type":"response.outp').error).toMatchObject({ code: "malformed_response" })
    expect(read("data: 7\n\n").error).toMatchObject({ code: "server_error" })
  })
})

describe("frames", () => {
  const long = (kind: "text" | "json", n: number) =>
    Array.from({ length: n }, (_, i) => {
      const delta = i % 7 === 3 ? 'q"\\\n' : `w${i} `
      const event = kind === "text" ? text(0, delta) : json(0, delta)
      return sse({ ...event, sequence_number: i + 3, obfuscation: "x".repeat((i % 13) + 1) } as Event)
    }).join("")

  const bodies: readonly (readonly [string, string])[] = [
    ["text", long("text", 300)],
    ["arguments", sse(item(0, call("c", "look"))) + long("json", 300)],
    ["text, then arguments", long("text", 60) + sse(item(0, call("c", "look"))) + long("json", 60)],
    ...cassettesOf("openai-responses")
      .filter(({ response }) => response.body.includes("data:"))
      .map(({ file, response }) => [file, response.body] as const),
  ]
  it.each(bodies)("change nothing in %s, however it is cut", (_, body) => {
    const plain = read(body)
    expect(read(body, 1)).toEqual(plain)
    const pieces = Array.from({ length: Math.floor(body.length / 37) }, (_, i) => (i + 1) * 37)
    expect(read(body, 1, pieces)).toEqual(plain)
  })

  it("read a long answer without parsing it", () => {
    const body = long("text", 1000)
    const parse = JSON.parse
    let parsed = 0
    JSON.parse = ((text: string, revive: undefined) => {
      parsed++
      return parse(text, revive) as unknown
    }) as typeof JSON.parse
    try {
      expect(read(body, 1).deltas).toHaveLength(1000)
    } finally {
      JSON.parse = parse
    }
    // texts with escapes are read as JSON strings
    expect(parsed).toBeLessThan(200)
  })
})

describe("calls that the provider makes and answers itself", () => {
  const look = { name: "look", parameters: { type: "object" } } as const
  const builtInTools = [{ type: "web_search" }]
  const readFor = (request: Parameters<typeof requestTools>[0], ...events: readonly Event[]) =>
    read(events.map(sse).join(""), false, [], requestTools(request))
  const ofTools = (deltas: readonly ChatDelta[]) =>
    deltas.flatMap((one) => (one.type === "tool_use_start" ? [one.name] : []))
  const owned = (deltas: readonly ChatDelta[]) =>
    deltas.flatMap((one) => (one.type === "block_end" ? [one.block.opaque?.data] : []))

  it("are no calls of tools where their item ends as another one", () => {
    const found = { type: "search_results", results: [{ title: "T" }] }
    const { deltas, ends } = readFor(
      {},
      item(0, call("c", "search_web", { arguments: '{"q":1}', status: "completed" })),
      itemDone(0, found),
      { type: "response.completed", response: { id: "r", output: [found] } },
    )
    expect(ofTools(deltas)).toEqual([])
    expect(owned(deltas)).toEqual([found])
    expect(ends[0]?.stopReason).toBe("stop")
  })

  it.each([
    ["that xAI says are its own", {}, { call_id: "xs_call_1" }],
    ["that the request has not given, but has the provider's own", { params: { builtInTools }, tools: [look] }, {}],
    ["in a request whose body has the provider's own", { params: { extraBody: { tools: builtInTools } } }, {}],
  ] as const)("are no calls of tools %s", (_, request, rest) => {
    for (const type of ["function_call", "custom_tool_call"]) {
      const search = call("c", "x_keyword_search", { type, ...rest })
      const { deltas } = readFor(
        request,
        item(0, search),
        json(0, '{"q":1}'),
        itemDone(0, search),
        text(1, "Hi"),
        completed,
      )
      expect(ofTools(deltas)).toEqual([])
      expect(owned(deltas)).toEqual([search])
    }
  })

  it("leave calls of the caller's tools what they are", () => {
    const sql = { type: "custom", name: "sql" }
    for (const [name, rest] of [
      ["look", {}],
      ["sql", { type: "custom_tool_call" }],
      ["find", { namespace: "crm" }],
      ["final_answer", {}],
    ] as const) {
      const made = call("c", name, rest)
      const tools = requestTools({ tools: [look], params: { builtInTools: [...builtInTools, sql] } }, "final_answer")
      const events = [item(0, made), json(0, "{}"), itemDone(0, made), completed].map(sse).join("")
      expect(ofTools(read(events, false, [], tools).deltas)).toEqual([name])
    }
    // no tools are known: whatever is called
    expect(ofTools(readFor({}, item(0, call("c", "any")), json(0, "{}"), completed).deltas)).toEqual(["any"])
    // a call that begins whole, and has no end of its own
    const whole = call("c", "any", { status: "completed" })
    expect(ofTools(readFor({}, item(0, whole), completed).deltas)).toEqual(["any"])
  })
})
