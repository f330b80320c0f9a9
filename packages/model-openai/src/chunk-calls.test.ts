import { toolUsesOf, userMsg } from "@agentscope-ts/message"
import type { ChatResponse } from "@agentscope-ts/model"
import { describe, expect, it } from "vitest"
import { chunk, memoryFetch, sse, streamOf } from "./fixtures/stream.ts"
import { OpenAIChatModel } from "./index.ts"

const answer = (text: string): Promise<ChatResponse> =>
  new OpenAIChatModel({ model: "m", apiKey: "k", fetch: memoryFetch(text).fetch, maxRetries: 0 }).stream({
    messages: [userMsg("hi")],
  }).response

/** The calls of a stream whose chunks each bring these pieces. */
async function callsOf(pieces: readonly (object | readonly object[])[], finish = "tool_calls") {
  const response = await answer(
    streamOf(
      pieces.map((piece) => ({ tool_calls: [piece].flat() })),
      finish,
    ),
  )
  return toolUsesOf(response).map(({ id, name, input, rawInput }) => ({
    id,
    name,
    input,
    ...(rawInput !== undefined && { rawInput }),
  }))
}

const piece = (index: number | undefined, id: string | null | undefined, name: string | undefined, json: unknown) => ({
  ...(index !== undefined && { index }),
  ...(id !== undefined && { id }),
  type: "function",
  function: { ...(name !== undefined && { name }), arguments: json },
})

const minted = expect.stringMatching(/^call_[\w-]{16}$/) as string

describe("tool calls from pieces", () => {
  it.each([
    [[['{"l":1}', '{"z":2}']]],
    [
      [
        ['{"l":', '{"z":'],
        ["1}", "2}"],
      ],
    ],
    [
      [
        ["", '{"z":'],
        ['{"l":', ""],
        ["1}", "2}"],
      ],
    ],
  ])("are told apart by their places in the list where they have no index: %j", async (rows) => {
    const starts = [piece(undefined, "a", "w", ""), piece(undefined, "b", "t", "")]
    const more = rows.map((row) => row.map((json) => piece(undefined, undefined, undefined, json)))
    expect(await callsOf([starts, ...more])).toEqual([
      { id: "a", name: "w", input: { l: 1 } },
      { id: "b", name: "t", input: { z: 2 } },
    ])
  })

  it("may stand alone where a list of them should", async () => {
    const alone = [
      { tool_calls: piece(0, "", "w", '{"a":') },
      { tool_calls: { ...piece(0, "", undefined, "1}"), function: { name: null, arguments: "1}" } } },
    ]
    const response = await answer(streamOf(alone, "eos_token"))
    expect(toolUsesOf(response)).toMatchObject([{ id: minted, name: "w", input: { a: 1 } }])
  })

  it("have no arguments where these are null, but may have null in them", async () => {
    expect(await callsOf([piece(0, "a", "one", "null")])).toEqual([{ id: "a", name: "one", input: {} }])
    const split = ['{"x":', "null", "}"].map((json, i) => piece(0, i === 0 ? "a" : "", i === 0 ? "one" : "", json))
    expect(await callsOf(split)).toEqual([{ id: "a", name: "one", input: { x: null } }])
  })

  it("of custom tools have their text as the argument input", async () => {
    const custom = (index: number | undefined, id: string | undefined, name: string | undefined, input: string) => ({
      ...(index !== undefined && { index }),
      ...(id !== undefined && { id }),
      type: "custom",
      custom: { ...(name !== undefined && { name }), input },
    })
    const said = 'SELECT "a"\n{}'
    const expected = [
      { id: "a", name: "sql", input: { input: said } },
      { id: "b", name: "look", input: { at: 1 } },
      { id: "c", name: "sql", input: { input: "" } },
    ]
    const streamed = [
      custom(0, "a", "sql", ""),
      custom(0, undefined, undefined, 'SELECT "a"'),
      piece(1, "b", "look", '{"at":1}'),
      custom(0, undefined, undefined, "\n{}"),
      custom(2, "c", "sql", ""),
    ]
    expect(await callsOf(streamed)).toEqual(expected)
    const tool_calls = [
      custom(undefined, "a", "sql", said),
      piece(undefined, "b", "look", '{"at":1}'),
      custom(undefined, "c", "sql", ""),
    ]
    const whole = JSON.stringify({ choices: [{ message: { tool_calls }, finish_reason: "tool_calls" }] })
    expect(toolUsesOf(await answer(whole)).map(({ id, name, input }) => ({ id, name, input }))).toEqual(expected)
  })

  it("FR-01 takes empty arguments as an empty object", async () => {
    for (const json of ["", "{}", " ", null, undefined]) {
      expect(await callsOf([piece(0, "call_1", "now", json)])).toEqual([{ id: "call_1", name: "now", input: {} }])
    }
    expect(await callsOf([piece(0, "c1", "now", ""), piece(1, "c2", "here", "")])).toEqual([
      { id: "c1", name: "now", input: {} },
      { id: "c2", name: "here", input: {} },
    ])
  })

  it.each([
    [
      "empty ids in the later pieces",
      [piece(0, "call_a", "get_weather", '{"ci'), piece(0, "", undefined, 'ty":"北京"}')],
    ],
    [
      "empty ids and names in the later pieces",
      [piece(0, "call_a", "get_weather", '{"ci'), piece(0, "", "", 'ty":"北京"}')],
    ],
    ["null ids", [piece(0, "call_a", "get_weather", '{"ci'), piece(0, null, undefined, 'ty":"北京"}')]],
    [
      "the name later",
      [piece(0, "call_a", "", ""), piece(0, "", "get_weather", ""), piece(0, "", "", '{"city":"北京"}')],
    ],
    [
      "the name after the first arguments",
      [piece(0, "call_a", "", '{"city":'), piece(0, "", "get_weather", '"北京"}')],
    ],
    ["the id later", [piece(0, "", "get_weather", ""), piece(0, "call_a", "", '{"city":"北京"}')]],
    ["id and name in each piece", ['{"ci', 'ty":', '"北京"}'].map((json) => piece(0, "call_a", "get_weather", json))],
    [
      "no index",
      [piece(undefined, "call_a", "get_weather", '{"ci'), piece(undefined, undefined, undefined, 'ty":"北京"}')],
    ],
    [
      "the rest on another index",
      [piece(0, "call_a", "get_weather", '{"city":"北京"'), piece(1, null, undefined, "}")],
    ],
    [
      "another id in each piece",
      ["", '{"ci', 'ty":', '"北京"}'].map((json, i) =>
        piece(0, i === 0 ? "call_a" : `call_${i}`, i === 0 ? "get_weather" : undefined, json),
      ),
    ],
    ["blanks after it", [piece(0, "call_a", "get_weather", '{"city":"北京"}'), piece(0, "", "", " \n")]],
    ["arguments as an object", [piece(0, "call_a", "get_weather", { city: "北京" })]],
    [
      "the whole call once more at the end",
      ['{"city":', '"北京"}', '{"city":"北京"}'].map((json) => piece(0, "call_a", "get_weather", json)),
    ],
    ["an empty piece before it", [piece(0, "", "", ""), piece(0, "call_a", "get_weather", '{"city":"北京"}')]],
  ])("FR-02 is one call with %s", async (_, pieces) => {
    expect(await callsOf(pieces)).toEqual([{ id: "call_a", name: "get_weather", input: { city: "北京" } }])
  })

  it("FR-02 starts no call from a piece that has neither id nor name", async () => {
    expect(await callsOf([piece(0, "", "", '{"a":1}')], "stop")).toEqual([])
  })

  const two = [
    { id: "c1", name: "write", input: { path: "a" } },
    { id: "c2", name: "write", input: { path: "b" } },
  ]

  it.each([
    ["the same index, whole", [piece(0, "c1", "write", '{"path":"a"}'), piece(0, "c2", "write", '{"path":"b"}')], two],
    [
      "the same index, in pieces",
      [
        piece(0, "c1", "write", '{"pa'),
        piece(0, "", "", 'th":"a"}'),
        piece(0, "c2", "write", '{"pa'),
        piece(0, "", "", 'th":"b"}'),
      ],
      two,
    ],
    ["one chunk", [[piece(0, "c1", "write", '{"path":"a"}'), piece(0, "c2", "write", '{"path":"b"}')]], two],
    [
      "no index in one chunk",
      [[piece(undefined, "c1", "write", '{"path":"a"}'), piece(undefined, "c2", "write", '{"path":"b"}')]],
      two,
    ],
    [
      "interleaved pieces",
      [
        piece(0, "c1", "write", ""),
        piece(1, "c2", "write", ""),
        piece(0, "", "", '{"pa'),
        piece(1, "", "", '{"path"'),
        piece(0, "", "", 'th":"a"}'),
        piece(1, "", "", ':"b"}'),
      ],
      two,
    ],
    [
      "no ids",
      [piece(0, "", "write", '{"path":"a"}'), piece(0, "", "write", '{"path":"b"}')],
      two.map((call) => ({ ...call, id: minted })),
    ],
    [
      "no ids, no index",
      [piece(undefined, undefined, "write", '{"path":"a"}'), piece(undefined, undefined, "write", '{"path":"b"}')],
      two.map((call) => ({ ...call, id: minted })),
    ],
    [
      "a new object alone",
      [
        piece(0, "c1", "write", '{"path":"a"}'),
        piece(0, null, undefined, '{"path":'),
        piece(0, null, undefined, '"b"}'),
      ],
      [two[0], { ...two[1], id: minted }],
    ],
    [
      "one id for both",
      [piece(0, "c1", "write", '{"path":"a"}'), piece(1, "c1", "write", '{"path":"b"}')],
      [two[0], { ...two[1], id: minted }],
    ],
  ])("FR-03 is two calls with %s", async (_, pieces, expected) => {
    const calls = await callsOf(pieces)
    expect(calls).toEqual(expected)
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
  })

  it("FR-03 tells two calls without arguments and ids apart by their names", async () => {
    const calls = await callsOf([piece(0, "", "now", ""), piece(0, "", "here", "")])
    expect(calls).toEqual([
      { id: minted, name: "now", input: {} },
      { id: minted, name: "here", input: {} },
    ])
  })

  it("FR-04 takes a closing brace without an id as the end of the call before it", async () => {
    const start = piece(0, "call_28", "retrieve_from_memory", '{"keywords":["品牌"]')
    for (const end of [
      piece(0, null, undefined, "}"),
      piece(0, "", "", "}"),
      piece(1, null, undefined, "}"),
      piece(undefined, undefined, undefined, "}"),
    ]) {
      expect(await callsOf([start, end])).toEqual([
        { id: "call_28", name: "retrieve_from_memory", input: { keywords: ["品牌"] } },
      ])
    }
  })

  it("takes an object inside arguments as no new call", async () => {
    const pieces = ['{"a":', '{"b":1}', ',"c":', '{"d":{}}', "}"].map((json, i) =>
      piece(0, i === 0 ? "c1" : "", "", json),
    )
    expect(await callsOf([piece(0, "c1", "f", ""), ...pieces])).toEqual([
      { id: "c1", name: "f", input: { a: { b: 1 }, c: { d: {} } } },
    ])
  })

  it("keeps arguments that do not parse as they came, for nobody to run", async () => {
    expect(await callsOf([piece(0, "c1", "f", '{"a":1,}')])).toEqual([
      { id: "c1", name: "f", input: {}, rawInput: '{"a":1,}' },
    ])
  })

  it("takes a call without any name as malformed, and leaves it out", async () => {
    const nameless = { tool_calls: [piece(0, "c1", "", '{"a":1}')] }
    const response = await answer(streamOf([{ tool_calls: [piece(1, "c2", "f", "{}")] }, nameless], "tool_calls"))
    expect(response).toMatchObject({ stopReason: "malformed_tool_call", content: [{ name: "f" }] })
    // with nothing beside it, it is an error once the model was asked again
    await expect(answer(streamOf([nameless], "tool_calls"))).rejects.toMatchObject({ code: "malformed_response" })
  })

  it("reads the function_call of old endpoints", async () => {
    const deltas = [{ function_call: { name: "f", arguments: '{"a"' } }, { function_call: { arguments: ":1}" } }]
    const response = await answer(streamOf(deltas, "function_call"))
    expect(response.stopReason).toBe("tool_use")
    expect(toolUsesOf(response)).toEqual([{ type: "tool_use", id: minted, name: "f", input: { a: 1 } }])
  })

  it("takes each entry of a whole message as a call", async () => {
    const whole = (tool_calls: readonly object[]) =>
      answer(
        JSON.stringify({
          id: "1",
          choices: [{ index: 0, message: { content: null, tool_calls }, finish_reason: "stop" }],
        }),
      )
    const response = await whole([
      { function: { name: "f", arguments: "" } },
      { function: { name: "f", arguments: "" } },
      { id: "x", function: { name: "g", arguments: '{"a":1}' } },
    ])
    expect(response.stopReason).toBe("tool_use")
    expect(toolUsesOf(response).map(({ name, input }) => [name, input])).toEqual([
      ["f", {}],
      ["f", {}],
      ["g", { a: 1 }],
    ])
  })

  it("takes text between and after calls as text", async () => {
    const text =
      sse(chunk({ content: "a" })) +
      sse(chunk({ tool_calls: [piece(0, "c1", "f", "{}")] })) +
      streamOf([{ content: "b" }], "tool_calls")
    const { content } = await answer(text)
    expect(content.map(({ type }) => type)).toEqual(["text", "tool_use", "text"])
  })
})
