import { AgentScopeError, assistantMsg, type JsonObject, type Msg, userMsg } from "@agentscope-ts/message"
import { StateModule } from "@agentscope-ts/state"
import { describe, expect, expectTypeOf, test } from "vitest"
import { InMemoryMemory, Memory } from "./index.ts"

const messages = (count: number) => Array.from({ length: count }, (_, i) => userMsg(`m${i}`))
const filled = (count: number) => {
  const memory = new InMemoryMemory()
  const list = messages(count)
  memory.add(list)
  return { memory, list }
}
const roundTrip = (state: JsonObject) => JSON.parse(JSON.stringify(state)) as JsonObject

test("messages are kept in order, given one by one or many at once, without copying them", () => {
  const memory = new InMemoryMemory()
  const [a, b, c] = [userMsg("a"), assistantMsg("b"), userMsg("c")]
  memory.add(a)
  memory.add([b, c])
  expect(memory.size()).toBe(3)
  expect(memory.get()).toEqual([a, b, c])
  expect(memory.get()[1]).toBe(b)
  expectTypeOf(memory.get()).toEqualTypeOf<readonly Msg[]>()
  expect(memory).toBeInstanceOf(Memory)
})

test.each([3, 200])("a message whose id is remembered is passed over (%i messages)", (count) => {
  const { memory, list } = filled(count)
  memory.add(list)
  memory.add({ ...userMsg("other text"), id: list[1]?.id ?? "" })
  expect(memory.get()).toEqual(list)
  memory.delete(list[1]?.id ?? "")
  memory.add(list)
  expect(memory.size()).toBe(count)
  expect(memory.get().at(-1)).toBe(list[1])
})

test("duplicates inside one call are passed over, and a memory may be given its own view", () => {
  const memory = new InMemoryMemory()
  const msg = userMsg("once")
  memory.add([msg, msg])
  memory.add(memory.get())
  expect(memory.get()).toEqual([msg])
})

test("all messages are replaced in one step: views stay live, marks stay with ids, and nothing comes twice", () => {
  const { memory, list } = filled(40)
  memory.updateMarks("kept", { ids: [list[0]?.id ?? "", list[39]?.id ?? ""] })
  const view = memory.get()
  const first = userMsg("first")
  memory.replace([first, ...view.slice(38), first])
  expect(view).toEqual([first, list[38], list[39]])
  expect(memory.get({ mark: "kept" })).toEqual([list[39]])
  memory.add(first)
  expect(memory.size()).toBe(3)
  memory.replace(memory.get())
  expect(memory.size()).toBe(3)
})

test("get without options is a live view: the same list, whatever is added, deleted or loaded", () => {
  const { memory, list } = filled(3)
  const view = memory.get()
  expect(memory.get()).toBe(view)
  memory.add(userMsg("more"))
  expect(view).toHaveLength(4)
  memory.delete({ from: 3 })
  expect(view).toEqual(list)
  const state = memory.stateDict()
  memory.clear()
  expect(view).toEqual([])
  memory.loadStateDict(state)
  expect(view).toEqual(list)
})

test.each<[Parameters<InMemoryMemory["get"]>[0], number[]]>([
  [{}, [0, 1, 2, 3, 4]],
  [{ last: 2 }, [3, 4]],
  [{ last: 9 }, [0, 1, 2, 3, 4]],
  [{ last: 0 }, []],
  [{ last: -1 }, []],
  [{ from: 3 }, [3, 4]],
  [{ to: 2 }, [0, 1]],
  [{ from: 1, to: 3 }, [1, 2]],
  [{ from: -2 }, [3, 4]],
  [{ to: -3 }, [0, 1]],
  [{ from: -4, to: -1 }, [1, 2, 3]],
  [{ from: 4, to: 2 }, []],
  [{ from: 9 }, []],
  [{ from: 1, to: 4, last: 2 }, [2, 3]],
])("get(%j) gives the messages %j", (options, expected) => {
  const { memory, list } = filled(5)
  expect(memory.get(options)).toEqual(expected.map((index) => list[index]))
})

test("a range is a copy that does not change later", () => {
  const { memory } = filled(5)
  const range = memory.get({ last: 2 })
  memory.clear()
  expect(range).toHaveLength(2)
})

describe("delete answers how many there were", () => {
  test.each<[string, (list: Msg[]) => Parameters<InMemoryMemory["delete"]>[0], number[]]>([
    ["an id", (list) => list[1]?.id ?? "", [0, 2, 3]],
    ["an unknown id", () => "nobody", [0, 1, 2, 3]],
    ["ids, one of them unknown", (list) => [list[0]?.id ?? "", "nobody", list[3]?.id ?? ""], [1, 2]],
    ["no ids", () => [], [0, 1, 2, 3]],
    ["a range", () => ({ from: 1, to: 3 }), [0, 3]],
    ["the oldest two", () => ({ to: 2 }), [2, 3]],
    ["the newest", () => ({ from: -1 }), [0, 1, 2]],
    ["everything", () => ({}), []],
  ])("%s", (_name, which, left) => {
    const { memory, list } = filled(4)
    expect(memory.delete(which(list))).toBe(4 - left.length)
    expect(memory.get()).toEqual(left.map((index) => list[index]))
  })
})

test("the state is the plain JSON of the messages and restores another memory", () => {
  const { memory, list } = filled(3)
  const state = memory.stateDict()
  expect(state).toEqual({ content: list })
  memory.add(userMsg("later"))
  expect(state["content"]).toHaveLength(3)
  const other = new InMemoryMemory()
  other.add(userMsg("gone after loading"))
  other.loadStateDict(roundTrip(state))
  expect(other.get()).toEqual(list)
  other.add(list)
  expect(other.size()).toBe(3)
})

test("loading passes over a message that comes twice", () => {
  const { memory, list } = filled(2)
  memory.loadStateDict({ content: [...list, list[0]] } as unknown as JsonObject)
  expect(memory.get()).toEqual(list)
})

test("the state of AgentScope Python loads, as a plain list and with marks and summary", () => {
  const msg = (id: string, content: unknown, role = "user") => ({
    id,
    name: role,
    role,
    content,
    metadata: {},
    timestamp: "2025-11-05 10:00:00.123",
  })
  const result = { type: "tool_result", id: "c1", name: "look", output: "blue" }
  const call = { type: "tool_use", id: "c1", name: "look", input: {} }
  const content = [msg("a", "old"), msg("b", [call], "assistant"), msg("c", [result], "system")]
  const memory = new InMemoryMemory()
  memory.loadStateDict({ content } as unknown as JsonObject)
  expect(memory.get().map(({ id, role }) => [id, role])).toEqual([
    ["a", "user"],
    ["b", "assistant"],
    ["c", "tool"],
  ])
  const marked = [
    [content[0], ["compressed"]],
    [content[1], []],
    [content[2], []],
  ]
  memory.loadStateDict({ _compressed_summary: "They said old.", content: marked } as unknown as JsonObject)
  expect(memory.get().map((m) => m.content[0])).toMatchObject([
    { type: "text", text: "They said old." },
    { type: "tool_use" },
    { type: "tool_result", state: "success" },
  ])
})

test.each([
  [{ content: 5 }, "invalid_state", '"content"'],
  [{}, "invalid_state", '"content" is missing'],
  [null, "invalid_state", "must be an object"],
  [{ content: [{ role: "user", content: [{ type: "hologram" }] }] }, "invalid_message", "content[0].content[0]"],
])("the state %j is refused and changes nothing", (state, code, place) => {
  const { memory, list } = filled(2)
  let caught: unknown
  try {
    memory.loadStateDict(state as unknown as JsonObject)
  } catch (error) {
    caught = error
  }
  expect(AgentScopeError.is(caught, code)).toBe(true)
  expect((caught as Error).message).toContain(place)
  expect(memory.get()).toEqual(list)
})

test("not strict, an absent state keeps what is remembered", () => {
  const { memory, list } = filled(2)
  memory.loadStateDict({}, { strict: false })
  expect(memory.get()).toEqual(list)
})

test("inside another module the place of a wrong message is named in full, and nothing is half loaded", () => {
  class Agent extends StateModule {
    readonly memory = new InMemoryMemory()
    readonly second = new InMemoryMemory()
  }
  const agent = new Agent()
  const msg = userMsg("kept")
  agent.memory.add(msg)
  const bad = { content: [{ role: "user", content: [{ type: "hologram" }] }] }
  const load = () => agent.loadStateDict({ memory: { content: [] }, second: bad })
  expect(load).toThrow(
    /Agent: state key "second" could not be loaded: .*content\[0\]\.content\[0\].*Nothing was changed/,
  )
  expect(agent.memory.get()).toEqual([msg])
})

test("a subclass adds state of its own", () => {
  class Noted extends InMemoryMemory {
    note = ""
    constructor() {
      super()
      this.registerState("note", {
        save: () => this.note,
        load: (note) => {
          this.note = note
        },
      })
    }
  }
  const noted = new Noted()
  noted.add(userMsg("a"))
  noted.note = "first"
  const other = new Noted()
  other.loadStateDict(roundTrip(noted.stateDict()))
  expect(other.note).toBe("first")
  expect(other.size()).toBe(1)
})

test("adding stays cheap in a long session", () => {
  const memory = new InMemoryMemory()
  const start = performance.now()
  for (let i = 0; i < 20_000; i++) memory.add({ id: `id-${i}`, name: "user", role: "user", content: [], timestamp: "" })
  // a scan of all ids for each message takes seconds
  expect(performance.now() - start).toBeLessThan(500)
  expect(memory.size()).toBe(20_000)
})

describe("marks", () => {
  const marked = () => {
    const [a, b, c, d] = messages(4) as [Msg, Msg, Msg, Msg]
    const memory = new InMemoryMemory()
    memory.add(a, { marks: "old" })
    memory.add([b, c], { marks: ["old", "hint", "old"] })
    memory.add(d)
    return { memory, list: [a, b, c, d] as const }
  }

  test.each<[Parameters<InMemoryMemory["get"]>[0], number[]]>([
    [{ mark: "old" }, [0, 1, 2]],
    [{ mark: "hint" }, [1, 2]],
    [{ mark: ["hint", "nothing"] }, [1, 2]],
    [{ mark: "nothing" }, []],
    [{ mark: [] }, []],
    [{ excludeMark: "hint" }, [0, 3]],
    [{ excludeMark: ["old"] }, [3]],
    [{ excludeMark: [] }, [0, 1, 2, 3]],
    [{ mark: "old", excludeMark: "hint" }, [0]],
    [{ excludeMark: "hint", last: 1 }, [3]],
    [{ mark: "old", from: -2, to: -1 }, [1]],
  ])("get(%j) gives the messages %j", (options, expected) => {
    const { memory, list } = marked()
    expect(memory.get(options)).toEqual(expected.map((index) => list[index]))
  })

  test("are kept once each, and gone with their message", () => {
    const { memory, list } = marked()
    expect(list.map(({ id }) => memory.marksOf(id))).toEqual([["old"], ["old", "hint"], ["old", "hint"], []])
    expect(memory.delete({ mark: "hint" })).toBe(2)
    memory.add(list[1])
    expect(memory.marksOf(list[1].id)).toEqual([])
    expect(memory.get({ mark: "old" })).toEqual([list[0]])
    memory.clear()
    memory.add(list)
    expect(memory.get({ excludeMark: "old" })).toEqual(list)
    expect(memory.marksOf("nobody")).toEqual([])
  })

  test("of a message that is passed over stay as they are", () => {
    const { memory, list } = marked()
    memory.add(list, { marks: "new" })
    expect(memory.get({ mark: "new" })).toEqual([])
  })

  test.each<[string, Parameters<InMemoryMemory["updateMarks"]>, number, string[][]]>([
    ["to all", ["new"], 4, [["old", "new"], ["old", "hint", "new"], ["old", "hint", "new"], ["new"]]],
    ["in the place of another", ["new", { oldMark: "hint" }], 2, [["old"], ["old", "new"], ["old", "new"], []]],
    ["away", [null, { oldMark: "old" }], 3, [[], ["hint"], ["hint"], []]],
    ["that nobody has, away", [null, { oldMark: "x" }], 0, [["old"], ["old", "hint"], ["old", "hint"], []]],
    ["that is there already", ["old", { oldMark: "old" }], 3, [["old"], ["hint", "old"], ["hint", "old"], []]],
  ])("updateMarks: %s", (_name, args, count, expected) => {
    const { memory, list } = marked()
    expect(memory.updateMarks(...args)).toBe(count)
    expect(list.map(({ id }) => memory.marksOf(id))).toEqual(expected)
  })

  test("updateMarks touches only the messages that are named", () => {
    const { memory, list } = marked()
    expect(memory.updateMarks("new", { ids: [list[3].id, "nobody"] })).toBe(1)
    expect(memory.updateMarks("new", { ids: list[0].id, oldMark: "hint" })).toBe(0)
    expect(memory.get({ mark: "new" })).toEqual([list[3]])
  })

  test("belong to the state, where there are any", () => {
    const { memory, list } = marked()
    const state = roundTrip(memory.stateDict())
    const other = new InMemoryMemory()
    other.add(list[3], { marks: "gone after loading" })
    other.loadStateDict(state)
    expect(other.stateDict()).toEqual(state)
    expect(other.get({ mark: "hint" })).toEqual([list[1], list[2]])
    expect(other.marksOf(list[3].id)).toEqual([])
    other.updateMarks(null, { oldMark: "old" })
    other.updateMarks(null, { oldMark: "hint" })
    expect(other.stateDict()).toEqual({ content: list })
    memory.loadStateDict(other.stateDict())
    expect(memory.marksOf(list[0].id)).toEqual([])
  })

  test("of a state that Python saved stay with the messages that it has", () => {
    const item = (id: string, ...marks: string[]) => [{ id, name: "user", role: "user", content: id }, marks]
    const memory = new InMemoryMemory()
    const content = [item("a", "hint"), item("b", "kept", "compressed"), item("c")]
    memory.loadStateDict({ content })
    expect(memory.stateDict()["marks"]).toEqual({ b: ["kept", "compressed"] })
  })

  test.each([[5], [["a"]], [{ a: "old" }], [{ a: [1] }], [null]])(
    "%j in a state are refused, and nothing changes",
    (marks) => {
      const { memory, list } = marked()
      const before = memory.stateDict()
      expect(() => memory.loadStateDict({ content: [], marks })).toThrow(/"marks" must be/)
      expect(memory.stateDict()).toEqual(before)
      expect(memory.get()).toEqual(list)
    },
  )

  test("are put back with the messages when a later part of the state cannot be loaded", () => {
    class Noted extends InMemoryMemory {
      protected override stateCodecs() {
        const load = () => {
          throw new AgentScopeError({ code: "no", message: "No." })
        }
        return { ...super.stateCodecs(), note: { save: () => "", load } }
      }
    }
    const memory = new Noted()
    memory.add(userMsg("a"), { marks: "old" })
    expect(() => memory.loadStateDict({ content: [], note: "" })).toThrow(/note/)
    expect(memory.get({ mark: "old" })).toHaveLength(1)
  })

  test("of ids such as __proto__ are marks like others", () => {
    const memory = new InMemoryMemory()
    memory.add({ ...userMsg("a"), id: "__proto__" }, { marks: "old" })
    const other = new InMemoryMemory()
    other.loadStateDict(roundTrip(memory.stateDict()))
    expect(other.marksOf("__proto__")).toEqual(["old"])
  })
})

test("what is no message, range or option is refused, and nothing is forgotten", () => {
  const { memory } = filled(3)
  for (const wrong of [
    () => memory.add("x" as never),
    () => memory.add(undefined as never),
    () => memory.add([1] as never),
    () => memory.add(userMsg("a"), { mark: "x" } as never),
    () => memory.delete(undefined as never),
    () => memory.delete(null as never),
    () => memory.delete({ form: 1 } as never),
    () => memory.get({ lst: 1 } as never),
    () => memory.get({ last: "x" } as never),
    () => memory.get({ from: Number.NaN }),
  ]) {
    expect(wrong).toThrow(expect.objectContaining({ code: "invalid_argument" }))
  }
  expect(() => memory.get({ lst: 1 } as never)).toThrow(/Did you mean "last"/)
  expect(memory.size()).toBe(3)
})
