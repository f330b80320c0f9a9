import { AgentScopeError, ambient, textOf } from "@agentscope-ts/message"
import { expect, test } from "vitest"
import { FakeClock } from "./fixtures/fake-clock.ts"
import { FlakyClient, FlakyWorld, pick, type Random } from "./fixtures/flaky-server.ts"

const timeoutMs = 1000
const maxTimeoutMs = 4000
const connectTimeoutMs = 2000
/** Connecting and one request, and both again where the server had forgotten the session. */
const limit = 2 * (connectTimeoutMs + maxTimeoutMs)

function seeded(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

class Given extends Error {}

/** One conversation with flaky servers: what every request came to. */
async function converse(seed: number, clock: FakeClock): Promise<string[]> {
  const random = seeded(seed)
  const world = new FlakyWorld(random)
  const options = { name: "flaky", timeoutMs, maxTimeoutMs, connectTimeoutMs }
  const client = new FlakyClient(world, options, random() < 0.3)
  const outcomes: string[] = []

  async function request(key: string): Promise<void> {
    await ambient().sleep(random() * 3000)
    const stop = new AbortController()
    const over = new AbortController()
    const isAborted = random() < 0.2
    if (isAborted) {
      void ambient()
        .sleep(random() * 1500, over.signal)
        .then(
          () => stop.abort(new Given()),
          () => {},
        )
    }
    const { signal } = stop
    const began = ambient().now()
    try {
      const kind = pick(random, ["call", "call", "call", "list", "ping", "level"])
      if (kind === "call") expect(textOf(await client.callTool(key, {}, { signal }))).toBe(key)
      else if (kind === "list") await client.listTools({ signal })
      else if (kind === "ping") await client.ping({ signal })
      else await client.setLogLevel("info", { signal })
      outcomes.push("result")
    } catch (error) {
      if (error instanceof Given) expect(isAborted).toBe(true)
      else if (!AgentScopeError.is(error)) throw error
      outcomes.push(AgentScopeError.is(error) ? error.code : "aborted")
    }
    over.abort()
    expect(ambient().now() - began).toBeLessThanOrEqual(limit)
  }

  async function reopen(): Promise<void> {
    await ambient().sleep(random() * 4000)
    await client.close()
    if (random() < 0.8) await client.connect().catch((error: unknown) => expect(AgentScopeError.is(error)).toBe(true))
  }

  const requests = Array.from({ length: 1 + Math.floor(random() * 8) }, (_, i) => request(`${seed}.${i}`))
  const done = new AbortController()
  const all = Promise.all([...requests, ...(random() < 0.3 ? [reopen()] : [])]).then(() => done.abort())
  for (let passed = 0; !done.signal.aborted && passed < 4000 + 2 * limit; passed += 200) await clock.advance(200)
  const run = `seed ${seed}`
  expect(outcomes, run).toHaveLength(requests.length)
  await all
  for (const times of world.arrived.values()) expect(times, run).toBe(1)
  await client.close()
  expect(world.open, run).toBe(0)
  await clock.advance(1)
  expect(clock.sleeping, run).toBe(0)
  return outcomes
}

test("every request to a flaky server settles in its time, no call arrives twice, and nothing is left", async () => {
  // loaded when first connected, which takes real time
  await Promise.all([import("@modelcontextprotocol/sdk/client/index.js"), import("@modelcontextprotocol/sdk/types.js")])
  const runs = process.env["AGENTSCOPE_SOAK"] ? 20_000 : 2000
  const seen = new Map<string, number>()
  for (let seed = 1; seed <= runs; seed++) {
    using clock = new FakeClock()
    for (const outcome of await converse(seed, clock)) seen.set(outcome, (seen.get(outcome) ?? 0) + 1)
  }
  for (const outcome of "result aborted timeout server_exited connection_closed http_error server_error invalid_response".split(
    " ",
  )) {
    expect(seen.get(outcome), outcome).toBeGreaterThan(runs / 50)
  }
}, 120_000)
