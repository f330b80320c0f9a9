import {
  assistantMsg,
  type JsonObject,
  type Msg,
  replaceAmbient,
  textOf,
  toolResult,
  toolResultMsg,
  toolUsesOf,
  userMsg,
} from "@agentscope-ts/message"
import { describe, expect, it } from "vitest"
import { codingTools, stringTool, talk, Workshop } from "./fixtures/workshop.ts"
import { OfflineChatModel } from "./index.ts"

const model = new OfflineChatModel()
const files = (): Record<string, string> => ({
  "README.md": "# Hello\n\nThree lines here\n",
  "a.txt": "one\ntwo\nthree",
  "src/x.ts": "// TODO: fix\nlet foo = 1",
  "src/y.ts": "foo()",
  "docs/文 件.md": "text",
})
const calls = async (request: string, shop = codingTools(files())) => {
  const talked = await talk(model, shop, request)
  return talked.calls.map(({ name, input }) => [name, input])
}

describe("requests in plain words", () => {
  it.each<[string, [string, JsonObject][]]>([
    ["list the files", [["Glob", { pattern: "*" }]]],
    ["What files are in src?", [["Glob", { pattern: "*", path: "src" }]]],
    ["read README.md", [["Read", { file_path: "README.md" }]]],
    ['read "docs/文 件.md"', [["Read", { file_path: "docs/文 件.md" }]]],
    ["read docs/文 件.md", [["Read", { file_path: "docs/文 件.md" }]]],
    [
      "read all the markdown files",
      [
        ["Glob", { pattern: "**/*.md" }],
        ["Read", { file_path: "README.md" }],
        ["Read", { file_path: "docs/文 件.md" }],
      ],
    ],
    [
      "list the files and save the list to l.txt",
      [
        ["Glob", { pattern: "*" }],
        ["Write", { file_path: "l.txt", content: "README.md\na.txt" }],
      ],
    ],
    ["read lines 2 to 3 of a.txt", [["Read", { file_path: "a.txt", offset: 2, limit: 2 }]]],
    [
      "raed a.txt and README.md",
      [
        ["Read", { file_path: "a.txt" }],
        ["Read", { file_path: "README.md" }],
      ],
    ],
    ["find all markdown files", [["Glob", { pattern: "**/*.md" }]]],
    ["search for TODO in src", [["Grep", { pattern: "TODO", path: "src", output_mode: "content" }]]],
    ["serch for foo(", [["Grep", { pattern: "foo\\(", output_mode: "content" }]]],
    ["which files mention foo?", [["Grep", { pattern: "foo" }]]],
    ["look for TODO ignoring case", [["Grep", { pattern: "TODO", "-i": true, output_mode: "content" }]]],
    ["write hello to b.txt", [["Write", { file_path: "b.txt", content: "hello" }]]],
    ["write a note that says buy milk", [["Write", { file_path: "note-buy-milk.txt", content: "buy milk" }]]],
    [
      "replace one with 1 in a.txt",
      [
        ["Read", { file_path: "a.txt" }],
        ["Edit", { file_path: "a.txt", old_string: "one", new_string: "1" }],
      ],
    ],
    ["run `npm test`", [["Bash", { command: "npm test" }]]],
    ["execute git log | head -3 please", [["Bash", { command: "git log | head -3" }]]],
    ["run python `print(6 * 7)`", [["execute_python_code", { code: "print(6 * 7)" }]]],
    ["what is 17 times 23?", [["calculate", { expression: "17 * 23" }]]],
    ["use calculate with expression=9*9", [["calculate", { expression: "9*9" }]]],
    ["delete a.txt", [["Bash", { command: "rm -- a.txt" }]]],
    ["what time is it?", [["Bash", { command: "date" }]]],
    ["append the line bye to a.txt", [["Bash", { command: "printf '%s\\n' bye >> a.txt" }]]],
    ["1/3+1/6", [["calculate", { expression: "1 / 3 + 1 / 6" }]]],
    [
      "list files in src and in docs",
      [
        ["Glob", { pattern: "*", path: "src" }],
        ["Glob", { pattern: "*", path: "docs" }],
      ],
    ],
    [
      "search for foo in src and docs",
      [
        ["Grep", { pattern: "foo", path: "src", output_mode: "content" }],
        ["Grep", { pattern: "foo", path: "docs", output_mode: "content" }],
      ],
    ],
    ["append four to a.txt", [["Bash", { command: "printf '%s\\n' four >> a.txt" }]]],
    [
      "write the result of 2*3 to out.txt",
      [
        ["calculate", { expression: "2*3" }],
        ["Write", { file_path: "out.txt", content: "value(2*3)" }],
      ],
    ],
    [
      "find all ts files, then read each of them",
      [
        ["Glob", { pattern: "**/*.ts" }],
        ["Read", { file_path: "src/x.ts" }],
        ["Read", { file_path: "src/y.ts" }],
      ],
    ],
    [
      "list the files in src and read the second one",
      [
        ["Glob", { pattern: "*", path: "src" }],
        ["Read", { file_path: "src/y.ts" }],
      ],
    ],
    [
      "read the README",
      [
        ["Read", { file_path: "README" }],
        ["Glob", { pattern: "**/README.*" }],
        ["Read", { file_path: "README.md" }],
      ],
    ],
  ])("%s", async (request, expected) => {
    const made = await calls(request)
    // an expression is written with blanks around its signs
    expect(JSON.parse(JSON.stringify(made).replaceAll(" * ", "*"))).toEqual(
      JSON.parse(JSON.stringify(expected).replaceAll(" * ", "*")),
    )
  })

  it.each([
    ["a\nb\n… and 4998 more", "5000 entries in many"],
    ["a\nb\n… and more; narrow it down.", "at least 2 entries in many"],
    ["a\nb", "That is 2 entries in many"],
  ])("count what a list says it holds, not only what it shows (%j)", async (listing, said) => {
    const shop = new Workshop().add(
      stringTool("list_directory", "List files in a folder", { dir_path: { type: "string" } }),
      () => listing,
    )
    expect((await talk(model, shop, "how many files are in many?")).text).toContain(said)
    expect((await talk(model, shop, "list the files in many")).text.toLowerCase()).toContain(
      said.replace("That is ", ""),
    )
  })

  it("look for no other name of a file that was refused", async () => {
    const shop = codingTools(files()).add(
      stringTool("Read", "Reads a file.", { file_path: { type: "string" } }),
      () => ({ text: "It is no regular file.", state: "error" }),
    )
    shop.tools.splice(
      shop.tools.findIndex(({ name }) => name === "Read"),
      1,
    )
    expect((await talk(model, shop, "read pipe")).calls.map(({ name }) => name)).toEqual(["Read"])
  })

  it("count nothing else when what they point to could not be read", async () => {
    const history: Msg[] = []
    const shop = codingTools(files())
    await talk(model, shop, "read a.txt", history)
    const both = await talk(model, shop, "read nowhere.txt and count its lines", history)
    expect(both.text).toContain('I could not do "count its lines"')
    const after = await talk(model, shop, "count its words", history)
    expect(after.text).toContain('I could not do "count its words"')
    expect(both.text + after.text).not.toMatch(/has \d/u)
  })

  it("are done one after the other, each after the result before it", async () => {
    const history: Msg[] = []
    const talked = await talk(
      model,
      codingTools(files()),
      "list the files, then read README.md and count its lines; finally compute 6*7",
      history,
    )
    expect(talked.calls.map(({ name }) => name)).toEqual(["Glob", "Read", "calculate"])
    expect(history.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "tool",
      "assistant",
      "tool",
      "assistant",
    ])
    expect(talked.text).toContain("2 entries: README.md, a.txt.")
    expect(talked.text).toContain("# Hello")
    expect(talked.text).toContain("README.md has 3 lines.")
    expect(talked.text).toContain("value(6 * 7)")
  })

  it("may point back to what was said before", async () => {
    const shop = codingTools(files())
    const history: Msg[] = []
    await talk(model, shop, "list the files", history)
    expect((await talk(model, shop, "the second one", history)).calls).toEqual([
      { name: "Read", input: { file_path: "a.txt" } },
    ])
    expect((await talk(model, shop, "read it again", history)).calls).toEqual([
      { name: "Read", input: { file_path: "a.txt" } },
    ])
    expect((await talk(model, shop, "do that again", history)).calls).toEqual([
      { name: "Read", input: { file_path: "a.txt" } },
    ])
    expect((await talk(model, shop, "how many words does it have?", history)).text).toContain("3 words")
    await talk(model, shop, "save it to copy.txt", history)
    expect(shop.files["copy.txt"]).toBe("one\ntwo\nthree")
  })

  it("may go on with a number that came before", async () => {
    const shop = new Workshop().add(
      stringTool("calculate", "Computes.", { expression: { type: "string" } }),
      ({ expression }) => (expression === "2 + 3" ? "5" : "50"),
    )
    expect(
      (await talk(model, shop, "compute 2+3, then multiply it by 10")).calls.map(({ input }) => input["expression"]),
    ).toEqual(["2 + 3", "5 * 10"])
  })
})

describe("tools of any kind", () => {
  it("are called by their own words", async () => {
    const shop = new Workshop()
      .add(stringTool("get_weather", "Current weather in a city", { city: { type: "string" } }), ({ city }) =>
        JSON.stringify({ city: city as string, celsius: 14 }),
      )
      .add(
        stringTool("send_email", "Sends an e-mail", { to: { type: "string" }, body: { type: "string" } }),
        () => "sent",
      )
    const talked = await talk(
      model,
      shop,
      'What is the weather in Hangzhou? Then send an email to bob@x.org saying "bring an umbrella".',
    )
    expect(talked.calls).toEqual([
      { name: "get_weather", input: { city: "Hangzhou" } },
      { name: "send_email", input: { to: "bob@x.org", body: "bring an umbrella" } },
    ])
    expect(talked.text).toBe("get_weather answered: city: Hangzhou, celsius: 14\nsend_email answered: sent")
  })

  it("FR-01 are called with {} when they take nothing", async () => {
    const shop = new Workshop().add(stringTool("list_orders", "Lists the open orders", {}), () => "42")
    expect((await talk(model, shop, "list the orders")).calls).toEqual([{ name: "list_orders", input: {} }])
  })

  it("win over a stand-in, and over a tool for another verb", async () => {
    const shop = codingTools(files())
      .add(stringTool("web_search", "Searches the web", { query: { type: "string" } }), () => "found")
      .add(stringTool("delete_file", "Deletes a file", { path: { type: "string" } }), () => "gone")
    expect(await calls("search the web for red pandas", shop)).toEqual([["web_search", { query: "red pandas" }]])
    expect(await calls("delete a.txt", shop)).toEqual([["delete_file", { path: "a.txt" }]])
  })

  it("lists, reads, searches and writes by the shell where that is all there is", async () => {
    const shop = () =>
      new Workshop().add(stringTool("sh", "Runs a shell command", { command: { type: "string" } }), () => "x")
    for (const [request, command] of [
      ["list the files in src", "ls -A src"],
      ["read 'my file.txt'", "cat -- 'my file.txt'"],
      ["search for it's in src", "grep -rnF -- 'it'\\''s' src"],
      ["compute 2^10", "awk 'BEGIN { printf \"%.15g\\n\", 2^10 }'"],
      ["replace a/b with c&d in e.txt", "sed -i 's/a\\/b/c\\&d/g' e.txt"],
      ["create a folder called new", "mkdir -p -- new"],
      ["move a.txt to docs/", "mv -- a.txt docs/"],
    ]) {
      expect(await calls(request as string, shop()), request).toEqual([["sh", { command }]])
    }
  })

  it("asks for what a tool needs and the words do not give", async () => {
    const shop = new Workshop().add(
      stringTool("get_weather", "Current weather in a city", { city: { type: "string" } }),
      () => "",
    )
    const talked = await talk(model, shop, "what's the weather?")
    expect(talked.calls).toEqual([])
    expect(talked.text).toContain("`city`")
    expect((await talk(model, codingTools({}), "run the tests")).text).toContain("run `git status`")
  })
})

describe("what it says", () => {
  it("says what it is, what it can do, and how to get a language model", async () => {
    const own = new OfflineChatModel({ setup: "export MY_KEY=…" })
    for (const request of [
      "what are you?",
      "what can you do?",
      "help",
      "why is the sky blue?",
      "write a poem",
      "tell me a joke",
    ]) {
      const { calls: made, text } = await talk(own, codingTools({}), request)
      expect(made, request).toEqual([])
      expect(text, request).toContain("not a language model")
      expect(text, request).toContain("export MY_KEY=…")
    }
    const { text } = await talk(own, codingTools({}), "what can you do?")
    for (const tool of ["Glob", "Grep", "Read", "Write", "Edit", "Bash", "execute_python_code", "calculate"])
      expect(text).toContain(`(${tool})`)
  })

  it("describes tools of one's own by their description", async () => {
    const shop = new Workshop().add(
      stringTool("get_weather", "Current weather in a city. Slow.", { city: { type: "string" } }),
      () => "",
    )
    expect((await talk(model, shop, "what can you do?")).text).toContain("- get_weather: Current weather in a city.")
  })

  it("answers a greeting, thanks, and an empty message", async () => {
    expect((await talk(model, codingTools({}), "Hello!")).text).toMatch(/^Hello!/u)
    expect((await talk(model, codingTools({}), "thanks")).text).toBe("You are welcome.")
    expect((await talk(model, codingTools({}), "")).text).toContain("offline model")
    expect((await talk(model, codingTools({}), "列出文件")).text).toContain("only English")
  })

  it("does what it can and says what it cannot", async () => {
    const { calls: made, text } = await talk(model, codingTools(files()), "read a.txt and explain quantum physics")
    expect(made).toHaveLength(1)
    expect(text).toContain("three")
    expect(text).toContain('I cannot do "explain quantum physics": that takes a language model.')
  })

  it("quotes a long file by its beginning", async () => {
    const long = Array.from({ length: 50 }, (_, i) => `line ${i + 1}`).join("\n")
    const { text } = await talk(model, codingTools({ "long.txt": long }), "read long.txt")
    expect(text).toContain("long.txt (50 lines) begins:")
    expect(text).toContain("line 10\n```\n… and 40 more lines.")
  })

  it("cannot be led out of its quotation by fences in a file", async () => {
    const { text } = await talk(model, codingTools({ "x.md": "```js\n1\n```" }), "read x.md")
    expect(text).toContain("````\n```js\n1\n```\n````")
  })

  it("says that a tool failed and goes on with the rest", async () => {
    const { calls: made, text } = await talk(model, codingTools(files()), "read nope.txt, then read a.txt")
    expect(made).toHaveLength(2)
    expect(text).toContain('I could not read nope.txt. Read says: "nope.txt" does not exist.')
    expect(text).toContain("two")
  })

  it("stops where somebody said no, and says what it left", async () => {
    const shop = codingTools(files())
    const asks = new Workshop(shop.files)
    for (const tool of shop.tools)
      asks.add(tool, (input) =>
        tool.name === "Bash" ? { text: "not now", state: "denied" } : shop.run(tool.name, input),
      )
    const { calls: made, text } = await talk(model, asks, "run `rm -rf /`, then read a.txt")
    expect(made.map(({ name }) => name)).toEqual(["Bash"])
    expect(text).toContain("I did not run `rm -rf /`: it was not allowed. (not now)")
    expect(text).toContain('Not done: "read a.txt".')
  })

  it("does not write on what it read only in part", async () => {
    const shop = new Workshop().add(
      stringTool("view_text_file", "View a text file.", { file_path: { type: "string" } }),
      () => "The content of a:\n```\n1: x\n```\nThe rest was cut.",
    )
    shop.add(
      stringTool("write_text_file", "Write a text file.", {
        file_path: { type: "string" },
        content: { type: "string" },
      }),
      () => "written",
    )
    const { calls: made, text } = await talk(model, shop, "read a.txt and save it to b.txt")
    expect(made.map(({ name }) => name)).toEqual(["view_text_file"])
    expect(text).toContain("only a part")
  })

  it("does not go on with a turn that was interrupted, and takes a new one up", async () => {
    const shop = codingTools(files())
    const first = await model.generate({ messages: [userMsg("read a.txt and list the files")], tools: shop.tools })
    const use = toolUsesOf(first)[0]
    if (!use) throw new RangeError("no call")
    const cut = [
      userMsg("read a.txt and list the files"),
      assistantMsg([use]),
      toolResultMsg([toolResult(use, "", { state: "interrupted" })]),
    ]
    const talked = await talk(model, shop, "compute 1+1", cut)
    expect(talked.calls.map(({ name }) => name)).toEqual(["calculate"])
  })

  it("takes up what is steered in, and passes over notes that ask for nothing", async () => {
    const shop = codingTools(files())
    const use = toolUsesOf(await model.generate({ messages: [userMsg("read a.txt")], tools: shop.tools }))[0]
    if (!use) throw new RangeError("no call")
    const begun = [userMsg("read a.txt"), assistantMsg([use]), toolResultMsg([toolResult(use, "     1\tone")])]
    const noted = await model.generate({
      messages: [...begun, userMsg("It is 2026-12-01, and the sun shines.")],
      tools: shop.tools,
    })
    expect(textOf(noted)).toContain("one")
    const steered = await model.generate({ messages: [...begun, userMsg("also list the files")], tools: shop.tools })
    expect(toolUsesOf(steered).map(({ name }) => name)).toEqual(["Glob"])
    const stopped = await model.generate({ messages: [...begun, userMsg("stop")], tools: shop.tools })
    expect(textOf(stopped)).toContain("I stop here")
  })
})

describe("as a chat model", () => {
  const request = { messages: [userMsg("what can you do?")], tools: codingTools({}).tools }

  it("streams text word by word, and the pieces make up the answer", async () => {
    const stream = model.stream(request)
    let text = ""
    let pieces = 0
    for await (const delta of stream) {
      if (delta.type !== "text_delta") continue
      text += delta.text
      pieces++
    }
    const response = await stream.response
    expect(text).toBe(textOf(response))
    expect(pieces).toBeGreaterThan(50)
    expect(response).toMatchObject({ stopReason: "stop", model: "offline-rules" })
    expect(response.usage?.outputTokens).toBeUndefined()
    expect(textOf(await model.generate(request))).toBe(text)
  })

  it("streams a call piece by piece, with an id of its own", async () => {
    const messages = [userMsg('write "a longer text to be streamed 😀😀😀😀😀😀😀😀😀" to a.txt')]
    const stream = model.stream({ messages, tools: request.tools })
    const seen: string[] = []
    for await (const delta of stream) seen.push(delta.type)
    expect(seen[0]).toBe("tool_use_start")
    expect(seen.filter((type) => type === "tool_use_delta").length).toBeGreaterThan(2)
    const response = await stream.response
    expect(response.stopReason).toBe("tool_use")
    const again = await model.generate({ messages, tools: request.tools })
    expect(toolUsesOf(again)[0]?.input).toEqual(toolUsesOf(response)[0]?.input)
    expect(toolUsesOf(again)[0]?.id).not.toBe(toolUsesOf(response)[0]?.id)
  })

  it("says the same to the same", async () => {
    let n = 0
    const restore = replaceAmbient({ now: () => 0, newId: () => `id${n++}` })
    try {
      const once = async () => {
        n = 0
        return talk(model, codingTools(files()), "list the files, read a.txt, compute 2*3 and write it to b.txt")
      }
      expect(await once()).toEqual(await once())
    } finally {
      restore()
    }
  })

  it("stops when it is aborted", async () => {
    await expect(model.generate({ ...request, signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "aborted" })
  })

  it("keeps to the choice of tools", async () => {
    const messages = [userMsg("list the files and read a.txt")]
    const none = await model.generate({ messages, tools: request.tools, toolChoice: "none" })
    expect(toolUsesOf(none)).toEqual([])
    const one = await model.generate({ messages, tools: request.tools, toolChoice: { name: "Read" } })
    expect(toolUsesOf(one).map(({ name }) => name)).toEqual(["Read"])
  })

  it("fills a schema from the request's own words, and refuses to make up the rest", async () => {
    const schema = {
      type: "object",
      properties: { name: { type: "string" }, age: { type: "integer" } },
      required: ["name", "age"],
    } as const
    const filled = await model.generate({ messages: [userMsg("Alice is 30 years old")], schema })
    expect(filled.structured).toEqual({ name: "Alice", age: 30 })
    const refused = await model.generate({ messages: [userMsg("Alice is young")], schema })
    expect(refused).toMatchObject({ stopReason: "refusal" })
    expect(refused.structured).toBeUndefined()
    expect(textOf(refused)).toContain("make nothing up")
  })

  it("gives the answer of its tools through the finish tool of a structured reply", async () => {
    const finish = {
      name: "generate_response",
      parameters: { type: "object", properties: { answer: { type: "string" } }, required: ["answer"] },
    } as const
    const shop = codingTools(files())
    const history: Msg[] = [userMsg("how many lines does a.txt have?")]
    const first = await model.generate({ messages: history, tools: [...shop.tools, finish], toolChoice: "required" })
    const use = toolUsesOf(first)[0]
    expect(use?.name).toBe("Read")
    if (!use) return
    history.push(assistantMsg([use]), toolResultMsg([toolResult(use, shop.run("Read", use.input))]))
    const last = await model.generate({ messages: history, tools: [...shop.tools, finish], toolChoice: "required" })
    expect(toolUsesOf(last)).toMatchObject([{ name: "generate_response", input: { answer: "a.txt has 3 lines." } }])
  })
})
