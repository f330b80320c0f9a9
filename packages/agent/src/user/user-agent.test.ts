import { spawn } from "node:child_process"
import { createMsg, type Schema, textOf, userMsg } from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { idle } from "../fixtures/runs.ts"
import { UserAgent, type UserInput } from "../index.ts"

const bob = (input: UserInput) => new UserAgent({ name: "Bob", input })

describe("a person behind a function", () => {
  test("answers as a user message; what it is told is not kept", async () => {
    const agent = bob(async ({ name }) => `${name} here`)
    const reply = await agent.reply("Hello?")
    expect(reply).toMatchObject({ name: "Bob", role: "user", finishReason: "completed" })
    expect(textOf(reply)).toBe("Bob here")
    await agent.observe("noise")
    expect(agent.stateDict()).toEqual({})
  })

  test("may answer with a message of its own", async () => {
    const msg = userMsg([{ type: "image", source: { type: "url", url: "./x.png" } }], { name: "Bob's phone" })
    expect(await bob(async () => msg).reply()).toMatchObject({ id: msg.id, name: "Bob's phone" })
  })

  test("is given a schema, and its answer is validated", async () => {
    const schema = z.object({ age: z.number() })
    const asked: (Schema | undefined)[] = []
    const agent = bob(async (request) => {
      asked.push(request.schema)
      return '{"age":7}'
    })
    const reply = await agent.reply("How old?", { schema })
    expect(reply.finishReason === "completed" && reply.structured.age).toBe(7)
    expect(asked).toEqual([schema])
    const direct = bob(async () => createMsg({ name: "Bob", role: "user", content: "seven", structured: { age: 7 } }))
    expect((await direct.reply("How old?", { schema })).structured).toEqual({ age: 7 })
    await expect(bob(async () => "seven").reply("?", { schema })).rejects.toThrow(/no JSON/)
    await expect(bob(async () => '{"age":"x"}').reply("?", { schema })).rejects.toThrow(/age/)
  })

  test("is interrupted in its own name, and given up by a signal", async () => {
    const agent = bob(() => new Promise(() => {}))
    const first = agent.reply("Hello?")
    await idle()
    agent.interrupt(userMsg("I speak for Bob", { name: "Ann" }))
    expect(await first).toMatchObject({ name: "Ann", role: "user", finishReason: "interrupted" })
    const second = agent.reply("Hello?")
    await idle()
    agent.interrupt()
    expect(await second).toMatchObject({ name: "Bob", role: "user", finishReason: "interrupted" })
    await expect(agent.reply("Hello?", { signal: AbortSignal.timeout(10) })).rejects.toMatchObject({
      name: "TimeoutError",
    })
  })

  test("sees the signal", async () => {
    const agent = bob(
      ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
    )
    const controller = new AbortController()
    const reply = agent.reply("?", { signal: controller.signal })
    controller.abort(new RangeError("gone"))
    await expect(reply).rejects.toThrow("gone")
  })
})

describe("a person at the program's terminal", () => {
  /** Runs a program that asks, with this on its standard input; lines are typed when it asks, and the input stays open. */
  function program(code: string, input: string | string[]): Promise<{ out: string; status: number | null }> {
    const source = `import { UserAgent } from ${JSON.stringify(new URL("../index.ts", import.meta.url).href)}; ${code}`
    const child = spawn(
      process.execPath,
      ["--conditions=@agentscope-ts/source", "--no-warnings", "--input-type=module", "-e", source],
      {
        cwd: new URL("../..", import.meta.url),
        stdio: ["pipe", "pipe", "inherit"],
      },
    )
    if (typeof input === "string") child.stdin.end(input)
    else child.stdout.on("data", (asked: string) => asked.endsWith(": ") && child.stdin.write(input.shift() ?? ""))
    return new Promise((resolve) => {
      let out = ""
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
        out += chunk
      })
      child.on("close", (status) => resolve({ out, status }))
    })
  }

  test("may stay there when nobody asks any more: the program ends by itself", async () => {
    const code = `const bob = new UserAgent({ name: "Bob" });
       for (const _ of [1, 2]) { const msg = await bob.reply(); await new Promise((done) => setTimeout(done, 50)); console.log(msg.content[0].text) }`
    // more comes while nobody asks
    const { out, status } = await program(code, ["one\n", "two\nthree\n"])
    expect({ out, status }).toEqual({ out: "Bob: one\nBob: two\n", status: 0 })
  })

  test("is asked by name; several agents share the input; the program ends by itself", async () => {
    const { out, status } = await program(
      `const [bob, ann] = [new UserAgent({ name: "Bob" }), new UserAgent({ name: "Ann" })];
       for (const agent of [bob, ann, bob]) { const msg = await agent.reply(); console.log(msg.name + "=" + msg.content[0].text) }
       await ann.reply().catch((error) => console.log(error.code))`,
      "one\ntwo\nthree\n",
    )
    expect(out).toBe("Bob: Bob=one\nAnn: Ann=two\nBob: Bob=three\nAnn: input_closed\n")
    expect(status).toBe(0)
  })

  test("is asked for a structured value property by property, and a question that is not answered holds nothing up", async () => {
    const schema = {
      type: "object",
      properties: { city: { type: "string" }, days: { type: "integer" } },
      required: ["city", "days"],
    }
    const { out } = await program(
      `const bob = new UserAgent({ name: "Bob" });
       const msg = await bob.reply("Where?", { schema: ${JSON.stringify(schema)} }); console.log(JSON.stringify(msg.structured));
       await bob.reply("And?", { signal: AbortSignal.timeout(50) }).catch((error) => console.log(error.code ?? error.name))`,
      "Rome\nx\nParis\n3\n",
    )
    expect(out).toContain('{"city":"Paris","days":3}\n')
    expect(out).toMatch(/days.*\nBob: city: /)
    expect(out).toMatch(/(input_closed|TimeoutError)\n$/)
  })
})
