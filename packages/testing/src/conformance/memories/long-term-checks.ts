import { assistantMsg, type Msg, userMsg } from "@agentscope-ts/message"
import { must, mustEqual } from "../expectation.ts"
import { failureOfCall } from "../within.ts"
import type { LongTermPlace, TestedEntry, TestedLongTermMemory } from "./memory-suite.ts"

/** One check of a long-term memory; `open` opens the memory of a user, by default of the one that `memory` is of. */
export type LongTermCheck = (
  memory: TestedLongTermMemory,
  open: (userId?: string) => Promise<TestedLongTermMemory>,
  place: LongTermPlace,
) => Promise<void>

/** Users that a database, a pattern or a path could take for another. */
const hostileUsers: readonly string[] = [
  ["u", "U", "ú", "u\u0301", "u ", " u", "uu", "%", "_", "*", "u%", "u*", "u?", "'", '"', "u' OR '1'='1", 'u" OR *'],
  ["__proto__", "constructor", "null", "undefined", "0", "[object Object]", "u/v", "../u", "u:v", "u|v", "中", "😀"],
].flat()

const has = (entries: readonly TestedEntry[], word: string) =>
  entries.some(({ content }) => content.toLowerCase().includes(word.toLowerCase()))

export const retrieveChecks: Record<string, LongTermCheck> = {
  "finds what was recorded, also in a memory that is opened later": async (memory, open) => {
    await memory.record([userMsg("My brother lives in Zanzibar."), assistantMsg("How nice.")])
    for (const each of [memory, await open()]) {
      must(has(await each.retrieve("Zanzibar"), "Zanzibar"), "what was recorded was not found")
    }
  },
  "takes a message, and several": async (memory) => {
    await memory.record([userMsg("My brother lives in Zanzibar.")])
    const question = userMsg("Who lives in Zanzibar?")
    must(has(await memory.retrieve(question), "Zanzibar"), "it was not found by a message")
    must(has(await memory.retrieve([assistantMsg("Yes?"), question]), "Zanzibar"), "it was not found by messages")
  },
  "finds what was said in another script": async (memory) => {
    await memory.record([userMsg("我最喜欢的饮料是绿茶。")])
    must(has(await memory.retrieve("绿茶"), "绿茶"), "what was recorded was not found")
  },
  "finds nothing where nothing was recorded, and by nothing": async (memory) => {
    mustEqual(await memory.retrieve("Zanzibar"), [], "the entries of an empty memory")
    await memory.record([])
    await memory.record([userMsg("  ")])
    mustEqual(await memory.retrieve(""), [], "the entries of an empty query")
  },
  "gives five entries unless told, nearest first, each whole and once": async (memory) => {
    const cities = ["Lima", "Oslo", "Rome", "Kyoto", "Quito", "Cairo", "Delhi", "Perth"]
    await memory.record(cities.map((city) => userMsg(`I visited the zoo of ${city}.`)))
    const five = await memory.retrieve("zoo")
    must(five.length <= 5, `there were ${five.length} entries`)
    must((await memory.retrieve("zoo", { limit: 2 })).length <= 2, "a limit of 2 was not kept")
    mustEqual(new Set(five.map(({ id }) => id)).size, five.length, "the number of different ids")
    for (const { id, content, createdAt, score } of five) {
      must(typeof id === "string" && id !== "" && typeof content === "string", "an entry lacks its id or content")
      must(!Number.isNaN(Date.parse(createdAt)), `an entry was created at ${JSON.stringify(createdAt)}`)
      must(score === undefined || Number.isFinite(score), `an entry has the score ${score}`)
    }
    const scores = five.map(({ score }) => score ?? 0)
    mustEqual(
      scores,
      scores.toSorted((a, b) => b - a),
      "the scores",
    )
  },
}

export const recordChecks: Record<string, LongTermCheck> = {
  "by several memories at once keeps everything": async (memory, open) => {
    const memories = [memory, await open(), await open()]
    const names = ["alder", "birch", "cedar", "daisy", "elder", "fern"]
    await Promise.all(names.map((name, i) => (memories[i % 3] ?? memory).record([userMsg(`My garden has a ${name}.`)])))
    for (const name of names) must(has(await memory.retrieve(name), name), `"${name}" was not found`)
  },
  "changes no message": async (memory) => {
    const messages: Msg[] = [userMsg("My brother lives in Zanzibar."), assistantMsg("How nice.")]
    const before = structuredClone(messages)
    await memory.record(messages)
    mustEqual(messages, before, "the messages")
  },
  "with an aborted signal rejects, and keeps nothing": async (memory) => {
    const signal = AbortSignal.abort(new DOMException("enough", "AbortError"))
    const calls = [memory.record([userMsg("Zanzibar")], { signal }), memory.retrieve("Zanzibar", { signal })]
    for (const error of await Promise.all(calls.map(failureOfCall))) must(error !== undefined, "a call resolved")
    mustEqual(await memory.retrieve("Zanzibar"), [], "the entries")
  },
}

export const scopeChecks: Record<string, LongTermCheck> = {
  "of one user is never seen by another, whatever they are called": async (_memory, open, place) => {
    const users: string[] = []
    for (const userId of hostileUsers) {
      // a memory may refuse a name, but not take it for another
      const memory = await Promise.resolve()
        .then(() => place.open({ userId }))
        .catch(() => undefined)
      if (memory === undefined) continue
      await (memory as Partial<AsyncDisposable>)[Symbol.asyncDispose]?.()
      users.push(userId)
    }
    must(users.includes("u"), "no user could be named")
    for (const [i, userId] of users.entries())
      await (await open(userId)).record([userMsg(`The password is pass${i}end.`)])
    for (const [i, userId] of users.entries()) {
      const memory = await open(userId)
      const entries = await memory.retrieve("password", { limit: 50 })
      const told = await memory.retrieveFromMemory({ keywords: ["password", userId], limit: 50 })
      const all = [...entries.map(({ content }) => content), told].join("\n")
      for (const [found] of all.matchAll(/pass\d+end/g)) mustEqual(found, `pass${i}end`, `what the user ${userId} saw`)
      must(all.includes(`pass${i}end`), `the user ${userId} did not find what is theirs`)
    }
  },
}

export const toolChecks: Record<string, LongTermCheck> = {
  "record and retrieve": async (memory) => {
    must(
      typeof (await memory.recordToMemory({ content: ["Ann lives in Zanzibar"] })) === "string",
      "no text was answered",
    )
    const text = await memory.retrieveFromMemory({ keywords: ["Zanzibar"] })
    must(text.includes("Zanzibar"), `what was recorded is not in ${JSON.stringify(text)}`)
  },
  "say in words that nothing was found": async (memory) => {
    must((await memory.retrieveFromMemory({ keywords: ["Zanzibar"] })) !== "", "an empty text was answered")
  },
  "are record_to_memory and retrieve_from_memory": async (memory) => {
    const [record, retrieve] = memory.tools()
    mustEqual([record?.name, retrieve?.name], ["record_to_memory", "retrieve_from_memory"], "the names")
    await record?.run({ thinking: "Useful.", content: ["Ann lives in Zanzibar"] })
    const value = await retrieve?.run({ keywords: ["Zanzibar"], limit: 3 })
    must(String(value).includes("Zanzibar"), "what one tool recorded, the other does not retrieve")
  },
}
