import { expect, test } from "vitest"
import { rolesInOrder } from "./roles-in-order.ts"

const rolesOf = (roles: string, bridged?: (item: { role: string }) => boolean) =>
  rolesInOrder(
    roles.split(" ").map((role) => ({ role })),
    { role: "bridge" },
    bridged,
  )
    .map(({ role }) => role)
    .join(" ")

test("a user does not follow tool results, and a system speaks first or as a user", () => {
  expect(rolesOf("system user assistant tool tool assistant user")).toBe(
    "system user assistant tool tool assistant user",
  )
  expect(rolesOf("user assistant tool user")).toBe("user assistant tool bridge user")
  expect(rolesOf("user assistant system user")).toBe("user assistant user user")
  expect(rolesOf("assistant tool system assistant")).toBe("assistant tool bridge user assistant")
  expect(rolesOf("assistant tool user", () => true)).toBe("assistant tool user")
})
