import { AgentScopeError, assistantMsg, type JsonObject, type Msg, userMsg } from "@agentscope-ts/message"
import { must, mustEqual, told } from "../expectation.ts"
import { failureOfCall } from "../within.ts"
import type { TestedMemory } from "./memory-suite.ts"

/** One check of a memory; `another` makes a second one. */
export type MemoryCheck = (memory: TestedMemory, another: () => Promise<TestedMemory>) => Promise<void>

const ranges: readonly [NonNullable<Parameters<TestedMemory["get"]>[0]>, readonly number[]][] = [
  [{}, [0, 1, 2, 3, 4]],
  [{ last: 2 }, [3, 4]],
  [{ last: 9 }, [0, 1, 2, 3, 4]],
  [{ last: 0 }, []],
  [{ from: 3 }, [3, 4]],
  [{ to: 2 }, [0, 1]],
  [{ from: 1, to: 3 }, [1, 2]],
  [{ from: -2 }, [3, 4]],
  [{ from: -4, to: -1 }, [1, 2, 3]],
  [{ from: 4, to: 2 }, []],
  [{ from: 9 }, []],
  [{ from: 1, to: 4, last: 2 }, [2, 3]],
]

const numbered = (count: number): Msg[] => Array.from({ length: count }, (_, i) => userMsg(`m${i}`))
const at = (list: readonly Msg[], ...indexes: number[]) => indexes.map((index) => list[index] as Msg)

export const addChecks: Record<string, MemoryCheck> = {
  "keeps messages in order, one by one and many at once": async (memory) => {
    const list = [userMsg("a"), assistantMsg("b"), userMsg("c")]
    await memory.add(list[0] as Msg)
    await memory.add(list.slice(1))
    mustEqual(await memory.get(), list, "the messages")
    mustEqual(await memory.size(), 3, "the size")
  },
  "keeps all blocks of a message": async (memory) => {
    const call = { type: "tool_use", id: "c", name: "look", input: { deep: [{ a: null }] } } as const
    const odd = assistantMsg([
      { type: "thinking", thinking: "hm", opaque: { provider: "p", data: { signature: "s" } } } as never,
      { type: "text", text: '中文 😀 \u2028 "quoted"' },
      call,
    ])
    await memory.add(odd)
    mustEqual(await memory.get(), [odd], "the message")
  },
  "passes over a message whose id is remembered": async (memory) => {
    const list = numbered(40)
    await memory.add(list)
    await memory.add([...list, { ...userMsg("other"), id: list[7]?.id ?? "" }])
    mustEqual(await memory.get(), list, "the messages")
    await memory.delete(list[7]?.id ?? "")
    await memory.add(list)
    mustEqual((await memory.get()).at(-1), list[7], "the newest, after it was deleted and added again")
  },
  "of nothing changes nothing": async (memory) => {
    await memory.add([])
    mustEqual(await memory.size(), 0, "the size")
    mustEqual(await memory.get(), [], "the messages")
  },
  "of thousands keeps their order": async (memory) => {
    const list = numbered(3000)
    for (let from = 0; from < list.length; from += 100) await memory.add(list.slice(from, from + 100))
    mustEqual(
      (await memory.get()).map(({ id }) => id),
      list.map(({ id }) => id),
      "the ids",
    )
  },
}

export const getChecks: Record<string, MemoryCheck> = Object.fromEntries(
  ranges.map(([options, expected]): [string, MemoryCheck] => [
    `of ${JSON.stringify(options)} gives the messages ${JSON.stringify(expected)} of five`,
    async (memory) => {
      const list = numbered(5)
      await memory.add(list)
      mustEqual(await memory.get(options), at(list, ...expected), "the messages")
    },
  ]),
)

const deletions: Record<string, [(list: readonly Msg[]) => Parameters<TestedMemory["delete"]>[0], readonly number[]]> =
  {
    "an id": [(list) => list[1]?.id ?? "", [0, 2, 3]],
    "an unknown id": [() => "nobody", [0, 1, 2, 3]],
    "several ids, one of them unknown, one twice": [
      (list) => [list[0]?.id ?? "", "nobody", list[3]?.id ?? "", list[3]?.id ?? ""],
      [1, 2],
    ],
    "no ids": [() => [], [0, 1, 2, 3]],
    "a range": [() => ({ from: 1, to: 3 }), [0, 3]],
    "the oldest two": [() => ({ to: 2 }), [2, 3]],
    "the newest": [() => ({ from: -1 }), [0, 1, 2]],
  }

export const deleteChecks: Record<string, MemoryCheck> = {
  ...Object.fromEntries(
    Object.entries(deletions).map(([name, [which, left]]): [string, MemoryCheck] => [
      `of ${name} answers how many there were`,
      async (memory) => {
        const list = numbered(4)
        await memory.add(list)
        mustEqual(await memory.delete(which(list)), 4 - left.length, "the answer")
        mustEqual(await memory.get(), at(list, ...left), "what is left")
      },
    ]),
  ),
  "of everything by clear leaves a memory that works": async (memory) => {
    const list = numbered(3)
    await memory.add(list)
    await memory.clear()
    mustEqual(await memory.size(), 0, "the size")
    await memory.add(list)
    mustEqual(await memory.get(), list, "what was added again")
  },
}

export const stateChecks: Record<string, MemoryCheck> = {
  "restores another memory": async (memory, another) => {
    const list = numbered(3)
    await memory.add(list)
    const state = JSON.parse(JSON.stringify(memory.stateDict())) as JsonObject
    const other = await another()
    await other.add(userMsg("gone after loading"))
    other.loadStateDict(state)
    mustEqual(JSON.parse(JSON.stringify(other.stateDict())), state, "the state of the other memory")
    mustEqual(await other.get(), await memory.get(), "the messages of the other memory")
  },
  "that is none is refused and changes nothing": async (memory) => {
    const list = numbered(2)
    await memory.add(list)
    if (Object.keys(memory.stateDict()).length === 0) return
    for (const state of [null, {}, { content: 5 }, "state"] as unknown as JsonObject[]) {
      const error = await failureOfCall(Promise.resolve().then(() => memory.loadStateDict(state)))
      must(AgentScopeError.is(error), `for ${JSON.stringify(state)} the error was ${told(error)}`)
    }
    mustEqual(await memory.get(), list, "the messages")
  },
}
