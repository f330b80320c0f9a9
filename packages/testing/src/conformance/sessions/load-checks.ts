import { AgentScopeError } from "@agentscope-ts/message"
import { must, mustEqual, told } from "../expectation.ts"
import { failureOfCall } from "../within.ts"
import { Probe } from "./probe.ts"
import type { SessionCheck } from "./run-session-conformance.ts"

function mustBe(error: unknown, code: string, ...parts: string[]): void {
  must(AgentScopeError.is(error, code), `the error was ${told(error)}, and not ${code}`)
  for (const part of parts) must(error.message.includes(part), `the error does not name ${part}: ${error.message}`)
}

export const loadChecks: Record<string, SessionCheck> = {
  "of a session that is not there answers false and changes nothing": async (store) => {
    const probe = new Probe(1)
    mustEqual(await store.load("none", { probe }), false, "the answer")
    mustEqual(probe.value, 1, "the module")
  },
  "of a session that is not there is an error where that is not allowed": async (store) => {
    const loading = store.load("none-such", { probe: new Probe(1) }, { allowMissing: false })
    mustBe(await failureOfCall(loading), "session_not_found", "none-such")
  },
  "restores all modules or none": async (store) => {
    await store.save("s-1", { a: new Probe("new"), b: new Probe("text") })
    const [a, b] = [new Probe("old"), new Probe(5)]
    mustBe(await failureOfCall(store.load("s-1", { a, b })), "invalid_state", "s-1", "b.value")
    mustEqual([a.value, b.value], ["old", 5], "the modules")
  },
  "asks for every module that it is given, unless it is not strict": async (store) => {
    await store.save("s-1", { a: new Probe("new") })
    const [a, b] = [new Probe("old"), new Probe("old")]
    mustBe(await failureOfCall(store.load("s-1", { a, b })), "invalid_state", "s-1", '"b"')
    mustEqual(a.value, "old", "the module that is there")
    must(await store.load("s-1", { a, b }, { strict: false }), "load did not answer true")
    mustEqual([a.value, b.value], ["new", "old"], "the modules")
  },
  "passes over modules that it is not given": async (store) => {
    await store.save("s", { a: new Probe(1), b: new Probe(2) })
    const b = new Probe(0)
    must(await store.load("s", { b }), "load did not answer true")
    mustEqual(b.value, 2, "the module")
  },
}
