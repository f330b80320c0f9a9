import { AgentScopeError, type JsonObject, type JsonValue } from "@agentscope-ts/message"
import { expect, test, vi } from "vitest"
import { type StateCodec, StateModule } from "./index.ts"

class Counter extends StateModule {
  #count = 0
  get count() {
    return this.#count
  }
  add(n = 1) {
    this.#count += n
  }
  protected override stateCodecs(): Readonly<Record<string, StateCodec>> {
    return {
      ...super.stateCodecs(),
      count: {
        save: () => this.#count,
        load: (value) => {
          if (typeof value !== "number") throw new TypeError("count is no number.")
          this.#count = value
        },
      },
    }
  }
}

class Agent extends StateModule {
  name = "Friday"
  readonly memory = new Counter()
  tools: Counter | undefined = new Counter()
  readonly #hidden = new Counter()
  log: string[] = []
  constructor() {
    super()
    this.registerState("log", {
      save: () => [...this.log],
      load: (value) => {
        this.log = [...value]
      },
    })
  }
  get hidden() {
    return this.#hidden
  }
}

const code = (run: () => unknown) => {
  try {
    run()
  } catch (error) {
    if (AgentScopeError.is(error)) return { code: error.code, message: error.message, cause: error.cause }
    throw error
  }
  return undefined
}

test("modules in public fields and registered values make the state; private fields and plain ones do not", () => {
  const agent = new Agent()
  agent.memory.add(3)
  agent.hidden.add(9)
  agent.log.push("a")
  expect(agent.stateDict()).toEqual({ memory: { count: 3 }, tools: { count: 0 }, log: ["a"] })
})

test("a state survives JSON and restores a new instance", () => {
  const agent = new Agent()
  agent.memory.add(3)
  agent.log.push("a", "b")
  const other = new Agent()
  other.loadStateDict(JSON.parse(JSON.stringify(agent.stateDict())) as JsonObject)
  expect(other.stateDict()).toEqual(agent.stateDict())
  other.log.push("c")
  expect(agent.log).toEqual(["a", "b"])
})

test("a module that leaves its field leaves the state", () => {
  const agent = new Agent()
  agent.tools = undefined
  expect(agent.stateDict()).toEqual({ memory: { count: 0 }, log: [] })
  agent.loadStateDict({ memory: { count: 1 }, log: [] })
  expect(agent.memory.count).toBe(1)
})

test("strict: a missing key is named with its path, and what is there is told", () => {
  const agent = new Agent()
  expect(code(() => agent.loadStateDict({ memory: {}, tools: { count: 1 }, log: [] }))).toMatchObject({
    code: "invalid_state",
    message: expect.stringMatching(
      /Agent: state key "memory\.count" is missing; the state has: nothing\..*strict: false/,
    ),
  })
  expect(code(() => agent.loadStateDict({ memory: { count: 1 }, extra: 1 }))?.message).toContain(
    'state key "tools" is missing; the state has: memory, extra',
  )
})

test("not strict: absent keys keep their value, also in nested modules; unknown keys are passed over", () => {
  const agent = new Agent()
  agent.memory.add(5)
  agent.log.push("kept")
  agent.loadStateDict({ memory: { unknown: 1 }, tools: { count: 2 }, other: [] }, { strict: false })
  expect(agent.stateDict()).toEqual({ memory: { count: 5 }, tools: { count: 2 }, log: ["kept"] })
})

test("inherited names are no state keys", () => {
  class Odd extends StateModule {
    value = 1
    protected override stateCodecs() {
      const load = (value: JsonValue) => {
        this.value = Number(value)
      }
      return { toString: { save: () => this.value, load } }
    }
  }
  expect(code(() => new Odd().loadStateDict({}))?.message).toContain('"toString" is missing')
})

test.each([null, [], "text", 4])("%j is no state, at the top and in a field", (value) => {
  const bad = value as unknown as JsonObject
  expect(code(() => new Agent().loadStateDict(bad))?.message).toContain("The state must be an object")
  expect(code(() => new Agent().loadStateDict({ memory: bad, tools: { count: 1 }, log: [] }))?.message).toContain(
    'State key "memory" must be an object',
  )
})

test("a wrong shape deep inside is found before anything is changed", () => {
  const agent = new Agent()
  agent.log = ["before"]
  const load = vi.spyOn(agent.memory, "add")
  expect(code(() => agent.loadStateDict({ memory: { count: 1 }, tools: {}, log: ["after"] }))?.code).toBe(
    "invalid_state",
  )
  expect(agent.stateDict()).toEqual({ memory: { count: 0 }, tools: { count: 0 }, log: ["before"] })
  expect(load).not.toHaveBeenCalled()
})

test("a value that cannot be loaded is named with its cause, and what was loaded before it is put back", () => {
  const agent = new Agent()
  agent.memory.add(7)
  const error = code(() => agent.loadStateDict({ memory: { count: 1 }, tools: { count: "many" }, log: ["after"] }))
  expect(error).toMatchObject({
    code: "invalid_state",
    message: 'Agent: state key "tools.count" could not be loaded: count is no number. Nothing was changed.',
    cause: expect.any(TypeError),
  })
  expect(agent.stateDict()).toEqual({ memory: { count: 7 }, tools: { count: 0 }, log: [] })
})

test("what cannot be put back is told", () => {
  class Stubborn extends StateModule {
    value = 0
    constructor() {
      super()
      this.registerState("value", {
        save: () => this.value,
        load: (value) => {
          if (value === 0) throw new Error("never again")
          this.value = value
        },
      })
      this.registerState("second", {
        save: () => 1,
        load: () => {
          throw new Error("no")
        },
      })
    }
  }
  expect(code(() => new Stubborn().loadStateDict({ value: 5, second: 1 }))?.message).toMatch(
    /"second" could not be loaded: no What was there before could not be put back for: value\.$/,
  )
})

test("of a value that refuses to be loaded, and stays as it is, nothing is lost", () => {
  class Busy extends StateModule {
    readonly #told: string[] = ["a"]
    constructor() {
      super()
      const load = (value: string[]) => void this.#told.splice(0, this.#told.length, ...value)
      this.registerState("told", { save: () => [...this.#told], load })
      const refuse = () => {
        throw new Error("it is busy.")
      }
      this.registerState("round", { save: () => ({ open: 1 }), load: refuse })
    }
  }
  const busy = new Busy()
  expect(() => busy.loadStateDict({ told: ["b"], round: null })).toThrow(
    /^Busy: state key "round" could not be loaded: it is busy\. Nothing was changed\.$/,
  )
  expect(busy.stateDict()).toEqual({ told: ["a"], round: { open: 1 } })
})

test("a class that loads in its own way takes part, and is put back with the rest", () => {
  class Custom extends StateModule {
    value = "old"
    override stateDict(): JsonObject {
      return { v: this.value }
    }
    override loadStateDict(state: JsonObject) {
      if (typeof state["v"] !== "string") throw new TypeError("v is no text.")
      this.value = state["v"]
    }
  }
  class Holder extends StateModule {
    readonly custom = new Custom()
    readonly counter = new Counter()
  }
  const holder = new Holder()
  holder.loadStateDict({ custom: { v: "new" }, counter: { count: 2 } })
  expect(holder.stateDict()).toEqual({ custom: { v: "new" }, counter: { count: 2 } })
  expect(code(() => holder.loadStateDict({ custom: { v: "third" }, counter: { count: "x" } }))?.code).toBe(
    "invalid_state",
  )
  expect(code(() => holder.loadStateDict({ custom: { v: 1 }, counter: { count: 8 } }))?.message).toContain(
    "v is no text",
  )
  expect(holder.stateDict()).toEqual({ custom: { v: "new" }, counter: { count: 2 } })
})

test("two states under one key are refused, whoever came first", () => {
  class Twice extends StateModule {
    constructor() {
      super()
      this.registerState("a", { save: () => 1, load: () => {} })
      this.registerState("a", { save: () => 2, load: () => {} })
    }
  }
  expect(code(() => new Twice())).toMatchObject({
    code: "name_clash",
    message: expect.stringContaining("Twice has two"),
  })

  class Later extends Agent {
    override log = [] as string[]
    extra: unknown
  }
  const later = new Later()
  Object.assign(later, { log: new Counter() })
  expect(code(() => later.stateDict())).toMatchObject({ code: "name_clash", message: expect.stringContaining('"log"') })

  class Over extends Counter {
    constructor() {
      super()
      this.registerState("count", { save: () => 1, load: () => {} })
    }
  }
  expect(code(() => new Over().stateDict())?.code).toBe("name_clash")
})

test("a module that leads back to itself is refused with the field; one that is held twice is not", () => {
  class Node extends StateModule {
    next: StateModule | undefined
    twin: StateModule | undefined
  }
  const [a, b] = [new Node(), new Node()]
  a.next = b
  b.next = a
  expect(code(() => a.stateDict())).toMatchObject({
    code: "state_cycle",
    message: expect.stringMatching(/field "next" of Node leads back/),
  })
  b.next = undefined
  const shared = new Counter()
  a.twin = shared
  b.twin = shared
  shared.add(2)
  expect(a.stateDict()).toEqual({ next: { twin: { count: 2 } }, twin: { count: 2 } })
})

test.each([undefined, () => 1, Symbol("s"), 1n, Number.NaN, Number.POSITIVE_INFINITY])(
  "a value that is no JSON is refused with its key (%#)",
  (value) => {
    class Bad extends StateModule {
      constructor() {
        super()
        this.registerState("v", { save: () => value as unknown as JsonValue, load: () => {} })
      }
    }
    expect(code(() => new Bad().stateDict())).toMatchObject({
      code: "invalid_argument",
      message: expect.stringContaining('Bad: what is saved under state key "v"'),
    })
  },
)

test("modules of two installed copies of the package nest", async () => {
  vi.resetModules()
  const copy = await import("./state-module.ts")
  expect(copy.StateModule).not.toBe(StateModule)
  class Foreign extends copy.StateModule {
    value = 1
    constructor() {
      super()
      this.registerState("value", {
        save: () => this.value,
        load: (value) => {
          if (typeof value !== "number") throw new TypeError("no number")
          this.value = value
        },
      })
    }
  }
  class Holder extends StateModule {
    readonly counter = new Counter()
    readonly foreign = new Foreign()
  }
  const holder = new Holder()
  holder.loadStateDict({ counter: { count: 4 }, foreign: { value: 6 } })
  expect(holder.stateDict()).toEqual({ counter: { count: 4 }, foreign: { value: 6 } })
  expect(code(() => holder.loadStateDict({ counter: { count: 9 }, foreign: {} }))?.message).toContain('"foreign"')
  expect(holder.counter.count).toBe(4)
})

test("an instance without registered values holds nothing for its state", () => {
  class Empty extends StateModule {}
  const instances = Array.from({ length: 1000 }, () => new Empty())
  expect(Object.keys(instances[0] ?? {})).toEqual([])
  expect(new Empty().stateDict()).toEqual({})
})
