import { AgentScopeError } from "@agentscope-ts/message"
import { type OpenSession, openSession, type SessionStore } from "@agentscope-ts/state"
import { must, mustEqual, told } from "../expectation.ts"
import { failureOfCall } from "../within.ts"
import { Probe } from "./probe.ts"
import type { SessionCheck } from "./run-session-conformance.ts"

async function valueOf(store: SessionStore, id = "s"): Promise<unknown> {
  const probe = new Probe([])
  must(await store.load(id, { probe }), "there is no session")
  return probe.value
}

/** Where the store can tell that somebody else has written. */
async function mustLose(store: SessionStore, session: OpenSession, code: string): Promise<void> {
  if (!store.open) return
  for (let time = 0; time < 2; time++) {
    const error = await failureOfCall(session.save({ probe: new Probe(["mine", time]) }))
    must(AgentScopeError.is(error, code), `the error was ${told(error)}, and not ${code}`)
  }
}

/** The checks of a session that is kept open; a store without `open` passes them by whole saves. */
export const openChecks: Record<string, SessionCheck> = {
  "saves step by step what another store then loads": async (store, open) => {
    const session = await openSession(store, "s")
    const probe = new Probe([])
    mustEqual(await session.load({ probe }), false, "the load of what is not there")
    for (let i = 0; i < 30; i++) {
      probe.value = [...(probe.value as number[]), i]
      await session.save({ probe, other: new Probe(i) })
      mustEqual(await valueOf(i % 2 ? store : await open()), probe.value, "the session")
    }
    probe.value = [7, 8]
    await session.save({ probe })
    const [again, loaded, other] = [await openSession(await open(), "s"), new Probe([]), new Probe(-1)]
    must(await again.load({ probe: loaded, other }, { strict: false }), "load did not answer true")
    mustEqual([loaded.value, other.value], [[7, 8], -1], "the modules")
    loaded.value = [7, 8, 9]
    await again.save({ probe: loaded })
    mustEqual(await valueOf(store), [7, 8, 9], "the session after it was opened again")
  },
  "holds all of the saves that were asked for at once": async (store, open) => {
    const session = await openSession(store, "s")
    const probe = new Probe([])
    const saves = Array.from({ length: 20 }, (_, i) => {
      probe.value = [...(probe.value as number[]), i]
      return session.save({ probe })
    })
    await Promise.all(saves)
    mustEqual(await valueOf(await open()), probe.value, "the session")
  },
  "loses it to whoever else saves it, deletes it or has it open": async (store, open) => {
    const [first, second] = [await openSession(store, "s"), await openSession(await open(), "s")]
    await first.save({ probe: new Probe(["first"]) })
    await mustLose(store, second, "session_conflict")
    const third = await openSession(await open(), "s")
    await third.save({ probe: new Probe(["third"]) })
    await mustLose(store, first, "session_conflict")
    await store.save("s", { probe: new Probe(["whole"]) })
    await mustLose(store, third, "session_conflict")
    if (store.open) mustEqual(await valueOf(store), ["whole"], "the session")
    const fourth = await openSession(store, "s")
    await fourth.save({ probe: new Probe(["fourth"]) })
    must(await store.delete("s"), "it was not there to delete")
    await mustLose(store, fourth, "session_not_found")
    if (store.open) mustEqual(await store.list(), [], "the ids")
    await store.save("s", { probe: new Probe(["another"]) })
    await mustLose(store, fourth, "session_not_found")
  },
  "touches no other session": async (store) => {
    const sessions = await Promise.all(Array.from({ length: 40 }, (_, i) => openSession(store, `s${i}`)))
    for (let round = 0; round < 3; round++) {
      await Promise.all(sessions.map((session, i) => session.save({ probe: new Probe([i, round]) })))
    }
    for (let i = 0; i < 40; i++) mustEqual(await valueOf(store, `s${i}`), [i, 2], `the session ${i}`)
  },
}
