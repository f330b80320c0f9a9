import { AgentScopeError } from "@agentscope-ts/message"
import { expect, test } from "vitest"
import { z } from "zod"
import { use } from "./fixtures/calls.ts"
import { type ContextToken, type ContextValues, contextKey, Toolkit, tool } from "./index.ts"

class User {
  readonly id: string
  constructor(id: string) {
    this.id = id
  }
}
class Admin extends User {}
const tenant = contextKey<string>("tenant")

/** What a tool gets for a token. */
async function got<T>(token: ContextToken<T>, context?: ContextValues): Promise<unknown> {
  let value: unknown
  const asking = tool({
    name: "ask",
    description: "Asks",
    input: z.object({}),
    execute: (_input, { get }) => {
      value = get(token)
      return "ok"
    },
  })
  const result = await new Toolkit({ tools: [asking] }).execute(use("ask"), { context }).result
  return result.state === "success" ? value : result
}

test("values are found by key and by class, subclasses included", async () => {
  const context = [new Admin("root"), tenant.of("acme")]
  expect(await got(tenant, context)).toBe("acme")
  expect(await got(User, context)).toBe(context[0])
  expect(await got(contextKey<string>("tenant"), context)).toBe("acme")
})

test("the earlier of two counts: what a call gives stands before what its agent gives", async () => {
  expect(await got(tenant, [tenant.of("call"), tenant.of("agent")])).toBe("call")
  expect(await got(User, [new User("call"), new Admin("agent")])).toMatchObject({ id: "call" })
})

test("a value may be false, null or undefined", async () => {
  const flag = contextKey<boolean | null | undefined>("flag", true)
  for (const value of [false, null, undefined]) expect(await got(flag, [flag.of(value)])).toBe(value)
})

test("a fallback answers when nobody did", async () => {
  expect(await got(contextKey("locale", "en"))).toBe("en")
  expect(await got(contextKey("debug", false), [tenant.of("x")])).toBe(false)
})

test("without a value the call fails with context_missing, which names what to give", async () => {
  for (const [token, hint] of [
    [tenant, 'the key "tenant"'],
    [User, "new User(…)"],
  ] as const) {
    const result = (await got(token as ContextToken<unknown>)) as {
      state: string
      output: { text: string }[]
      metadata: object
    }
    expect(result.state).toBe("error")
    expect(result.output[0]?.text).toContain(hint)
    expect(result.metadata).toMatchObject({ error: { code: "context_missing" } })
  }
})

test("a tool run alone has no context values", async () => {
  const asking = tool({
    name: "ask",
    description: "Asks",
    input: z.object({}),
    execute: (_input, ctx) => ctx.get(tenant),
  })
  const error = await asking.run({}).catch((thrown: unknown) => thrown)
  expect(AgentScopeError.is(error, "context_missing")).toBe(true)
})
