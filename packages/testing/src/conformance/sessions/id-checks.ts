import { AgentScopeError } from "@agentscope-ts/message"
import { must, mustEqual, told } from "../expectation.ts"
import { failureOfCall } from "../within.ts"
import { Probe } from "./probe.ts"
import type { SessionCheck } from "./run-session-conformance.ts"

/** Ids that a file system, a shell or a database could confuse, leave out or take for something else. */
export const oddIds: readonly string[] = [
  "a A _ - 0 . .. ... a. a.. .a ~ % %41 %00 + = # $ & ' ` ^ { } [ ] ( ) ! @ , ; | < > \" * ? : / \\".split(" "),
  ["../a", "/etc/passwd", "C:\\x", "\\\\server\\share", "a/b", "a\\b", "a:b", "file:///x", "http://x/?a=b#c", "a//b"],
  "con CON prn aux nul com1 COM9 lpt1 con.txt NUL.json conin$ com0 .session-x.tmp a.json A.JSON a.json.json".split(" "),
  [" ", " a", "a ", "a b", "\t", "\n", "a\r\nb", "\u007f", "\u00a0", "\u200b", "\ufeff", "\u202e"],
  ["é", "e\u0301", "É", "ß", "SS", "İ", "ı", "\u212a", "中文", "😀", "👩‍👩‍👧", "\uffff", "𝒳", "com¹"],
  ["ab", "aB", "Ab", "AB", "ab=cd", "__proto__", "constructor", "toString", "null", "undefined", "'; DROP TABLE x; --"],
  [199, 200, 201, 255, 256, 5000].map((length) => "x".repeat(length)),
  ["X".repeat(85), "X".repeat(300), "中".repeat(22), "中".repeat(100), "😀".repeat(99), `${"x".repeat(300)}y`],
].flat()

export const idChecks: Record<string, SessionCheck> = {
  "of any kind is kept apart from others and comes back from list": async (store, open) => {
    for (const id of oddIds) await store.save(id, { probe: new Probe(id) })
    const other = await open()
    mustEqual(await other.list(), oddIds.toSorted(), "the ids")
    for (const id of oddIds) {
      const probe = new Probe("")
      must(await other.load(id, { probe }), `there is no session ${JSON.stringify(id)}`)
      mustEqual(probe.value, id, `the session ${JSON.stringify(id)}`)
    }
    for (const [i, id] of oddIds.entries()) {
      must(await store.delete(id), `the session ${JSON.stringify(id)} was not there to delete`)
      if (i % 10 === 0) mustEqual(await store.list(), oddIds.slice(i + 1).toSorted(), "the ids that are left")
    }
  },
  "that is none is refused by everything that takes one": async (store) => {
    for (const id of ["", "a\0b", "\ud800", "a\udc00", undefined, null, 7, {}] as string[]) {
      const asked = [store.save(id, { probe: new Probe(1) }), store.load(id, {}), store.delete(id)]
      for (const error of await Promise.all(asked.map(failureOfCall))) {
        must(AgentScopeError.is(error, "invalid_argument"), `for ${JSON.stringify(id)} the error was ${told(error)}`)
      }
    }
    mustEqual(await store.list(), [], "the ids")
  },
  "that was deleted is gone, and free again": async (store) => {
    mustEqual(await store.delete("s"), false, "the answer where there is none")
    await store.save("s", { probe: new Probe(1) })
    mustEqual([await store.delete("s"), await store.delete("s")], [true, false], "the answers")
    mustEqual(await store.load("s", { probe: new Probe(0) }), false, "the load")
    await store.save("s", { probe: new Probe(2) })
    mustEqual(await store.list(), ["s"], "the ids")
  },
}
