import type { Msg } from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import { PlainLongTermMemory, PlainMemory, plainPlace } from "../../fixtures/plain-memories.ts"
import type { MemoryConformanceSuite } from "./memory-suite.ts"
import { memoryConformanceChecks, runMemoryConformance } from "./run-memory-conformance.ts"

runMemoryConformance({ name: "a plain memory", create: () => new PlainMemory() })
runMemoryConformance({ name: "a plain long-term memory", createLongTerm: () => plainPlace() })

async function failing(suite: MemoryConformanceSuite): Promise<string[]> {
  const failed: string[] = []
  for (const { group, name, run } of memoryConformanceChecks(suite)) {
    await run().catch(() => failed.push(`${group} ${name}`))
  }
  return failed
}

describe("the kit finds a memory that", () => {
  class Doubles extends PlainMemory {
    override add(messages: Msg | readonly Msg[]) {
      this.messages.push(...("role" in messages ? [messages] : messages))
    }
  }
  class IgnoresLast extends PlainMemory {
    override get(options: { from?: number; to?: number } = {}) {
      return this.messages.slice(options.from, options.to)
    }
  }
  class CountsIds extends PlainMemory {
    override delete(which: Parameters<PlainMemory["delete"]>[0]) {
      const count = super.delete(which)
      return Array.isArray(which) ? which.length : count
    }
  }
  class LosesLate extends PlainMemory {
    override async add(messages: Msg | readonly Msg[]) {
      await Promise.resolve()
      if (!("role" in messages)) await super.add(messages.slice(0, 50))
      else await super.add(messages)
    }
  }
  class NoState extends PlainMemory {
    override loadStateDict() {}
  }
  test.each([
    ["adds a message twice", Doubles, "add passes over a message whose id is remembered"],
    ["does not know last", IgnoresLast, 'get of {"last":2} gives the messages [3,4] of five'],
    [
      "counts ids in the place of messages",
      CountsIds,
      "delete of several ids, one of them unknown, one twice answers how many there were",
    ],
    ["loses messages", LosesLate, "add of thousands keeps their order"],
    ["does not load", NoState, "the state restores another memory"],
    ["takes any state", NoState, "the state that is none is refused and changes nothing"],
  ])("%s", async (_what, Kind, check) => {
    expect(await failing({ name: "broken", create: () => new Kind() })).toContain(check)
  })
})

describe("the kit finds a long-term memory that", () => {
  class SeesAll extends PlainLongTermMemory {
    protected override sees() {
      return true
    }
  }
  class IgnoresCase extends PlainLongTermMemory {
    protected override sees(userId: string) {
      return userId.toLowerCase() === this.userId.toLowerCase()
    }
  }
  class Forgets extends PlainLongTermMemory {
    override record() {
      return Promise.resolve()
    }
  }
  class Unlimited extends PlainLongTermMemory {
    override retrieve(query: Parameters<PlainLongTermMemory["retrieve"]>[0], options: { signal?: AbortSignal } = {}) {
      return super.retrieve(query, { ...options, limit: 100 })
    }
  }
  class Deaf extends PlainLongTermMemory {
    override record(messages: readonly Msg[]) {
      return super.record(messages)
    }
  }
  class OtherNames extends PlainLongTermMemory {
    override tools() {
      return super.tools().map((tool) => ({ ...tool, name: tool.name.replaceAll("_", "-") }))
    }
  }
  class Mutates extends PlainLongTermMemory {
    override record(messages: readonly Msg[], options?: { signal?: AbortSignal }) {
      const done = super.record(messages, options)
      ;(messages as Msg[]).length = 0
      return done
    }
  }
  const apart = "the memory of one user is never seen by another, whatever they are called"
  test.each([
    ["shows all to all", SeesAll, apart],
    ["takes one user for another", IgnoresCase, apart],
    ["forgets", Forgets, "retrieve finds what was recorded, also in a memory that is opened later"],
    ["knows no limit", Unlimited, "retrieve gives five entries unless told, nearest first, each whole and once"],
    ["hears no signal", Deaf, "record with an aborted signal rejects, and keeps nothing"],
    ["has other tools", OtherNames, "the tools are record_to_memory and retrieve_from_memory"],
    ["changes what it records", Mutates, "record changes no message"],
  ])("%s", async (_what, Kind, check) => {
    expect(await failing({ name: "broken", createLongTerm: () => plainPlace(Kind) })).toContain(check)
  })
})
