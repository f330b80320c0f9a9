import { ambient } from "@agentscope-ts/message"
import { postJson } from "@agentscope-ts/model/wire"
import { beforeAll, describe, expect, it } from "vitest"
import { forkTape, recordTape, replayTape, type TapeEvent } from "../index.ts"
import { codeOf, echo, linesOf, newFile, nowhere, serve } from "../fixtures/tape-runs.ts"

describe("a fork", () => {
  const run = (url: string) => async () => {
    const first = (await postJson(`${url}/v1`, { n: 1 })) as { readonly nth: number }
    const clock = ambient().now()
    const second = await postJson(`${url}/v1`, { after: first.nth })
    return { first, second, clock, later: ambient().now() }
  }
  let file: string
  beforeAll(async () => {
    file = newFile()
    await using server = await serve(echo)
    await recordTape(file, run(server.url))
  })
  const answerAt = () => linesOf(file).find(({ type }) => type === "response")?.at ?? 0

  it("asks live what the change leads to", async () => {
    await using server = await serve(echo)
    const change = (event: TapeEvent): TapeEvent =>
      event.type === "response" ? { ...event, body: ['{"nth":7}'] } : event
    const forked = await forkTape(file, { at: answerAt(), change }, run(server.url))
    expect(forked).toMatchObject({ first: { nth: 7 }, second: { nth: 1, body: { after: 7 } } })
    expect(server.requests).toBe(1)
    // days lie between, not for the run
    expect(forked.later - forked.clock).toBeLessThan(5000)
  })

  it("stays on the tape where the change changes nothing", async () => {
    await using server = await serve(echo)
    const forked = await forkTape(file, { at: answerAt(), change: (event) => ({ ...event }) }, run(server.url))
    expect(forked).toEqual(await replayTape(file, run(nowhere)))
    expect(server.requests).toBe(0)
  })

  it("refuses events that are not there, changes that cannot be, and runs that differ before or never come there", async () => {
    const at = answerAt()
    const same = (event: TapeEvent) => event
    const codes = await Promise.all([
      forkTape(file, { at: 99, change: same }, run(nowhere)).catch(codeOf),
      forkTape(file, { at, change: (event) => ({ ...event, body: 1 }) as never }, run(nowhere)).catch(codeOf),
      forkTape(file, { at: 3, change: same }, () => postJson(`${nowhere}/v1`, { n: 2 })).catch(codeOf),
      forkTape(file, { at, change: same }, () => 1).catch(codeOf),
    ])
    expect(codes).toEqual(["invalid_option", "invalid_option", "tape_diverged", "fork_not_reached"])
  })
})
