import { describe, expect, it } from "vitest"
// @ts-expect-error a plain script without declarations
import { importsOf, judge } from "./imports.mjs"

describe("import direction", () => {
  it("lets a package import the rows above it", () => {
    expect(judge("packages/agent/src/a.ts", "@agentscope-ts/tool", true)).toBeUndefined()
    expect(judge("packages/tool/src/a.test.ts", "@agentscope-ts/testing", true)).toBeUndefined()
  })

  it("refuses rows below, siblings, insides and ways out of the package", () => {
    expect(judge("packages/model/src/a.ts", "@agentscope-ts/tool", true)).toContain("does not stand above")
    expect(judge("packages/model/src/a.test.ts", "@agentscope-ts/testing", true)).toContain("does not stand above")
    expect(judge("packages/model-openai/src/a.ts", "@agentscope-ts/model-offline", true)).toContain(
      "does not stand above",
    )
    expect(judge("packages/agent/src/a.ts", "@agentscope-ts/tool/src/x.ts", true)).toContain("inside")
    expect(judge("packages/agent/src/a.ts", "../../tool/src/index.ts", true)).toContain("reaches out")
    expect(judge("packages/agent/src/deep/a.ts", "../a.ts", true)).toBeUndefined()
  })

  it("refuses Node built-ins at load in packages for any runtime", () => {
    expect(judge("packages/model/src/a.ts", "node:http", true)).toContain("any runtime")
    expect(judge("packages/model/src/a.ts", "node:http", false)).toBeUndefined()
    expect(judge("packages/model/src/a.test.ts", "node:http", true)).toBeUndefined()
    expect(judge("packages/tools-system/src/a.ts", "node:fs", true)).toBeUndefined()
  })

  it("sees static, type-only, re-exported and dynamic imports, and no comments", () => {
    const source = `
      import { a } from "a"
      import type { b } from "b"
      export * from "c"
      import "d"
      const e = await import("e")
      // import "f"
      /* import "g" */`
    expect(importsOf(source)).toEqual([
      ["a", true],
      ["b", false],
      ["c", true],
      ["d", true],
      ["e", false],
    ])
  })
})
