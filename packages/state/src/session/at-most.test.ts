import { expect, test } from "vitest"
import { AtMost } from "./at-most.ts"

test("so many go on at once, in the order in which they came, whether or not they fail", async () => {
  const limit = new AtMost(3)
  const gates = Array.from({ length: 8 }, () => Promise.withResolvers<void>())
  const begun: number[] = []
  const all = gates.map(({ promise }, i) =>
    limit.run(() => {
      begun.push(i)
      return promise
    }),
  )
  expect(begun).toEqual([0, 1, 2])
  gates[1]?.reject(new Error("no"))
  await expect(all[1]).rejects.toThrow("no")
  gates[0]?.resolve()
  await all[0]
  expect(begun).toEqual([0, 1, 2, 3, 4])
  for (const { resolve } of gates) resolve()
  await Promise.allSettled(all)
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  await limit.run(async () => {})
})
