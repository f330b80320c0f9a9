import { AgentScopeError } from "@agentscope-ts/message"
import { expect, it } from "vitest"
import { toldCount } from "./told-count.ts"

const estimate = () => Promise.resolve(7)
const failing = (code: string) => () => Promise.reject(new AgentScopeError({ code, message: "no" }))

it("is what the provider says, else the estimate", async () => {
  expect(await toldCount(() => Promise.resolve({ total: 3 }), "total", estimate)).toBe(3)
  expect(await toldCount(() => Promise.resolve({ total: "many" }), "total", estimate)).toBe(7)
  expect(await toldCount(failing("not_found"), "total", estimate)).toBe(7)
  await expect(toldCount(failing("aborted"), "total", estimate)).rejects.toThrow("no")
})
