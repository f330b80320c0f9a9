import {
  type Approval,
  approve,
  deny,
  type JsonObject,
  type PendingCall,
  textOf,
  type ToolResultBlock,
} from "@agentscope-ts/message"
import { describe, expect, test, vi } from "vitest"
import { z } from "zod"
import { settled, use } from "../fixtures/calls.ts"
import {
  type AnyTool,
  type ApprovalPolicy,
  type ApprovalRule,
  checkApprovalPolicy,
  pendingOf as pendingCallOf,
  remoteTool,
  Toolkit,
  tool,
  when,
} from "../index.ts"

type Mode = NonNullable<ApprovalPolicy["mode"]>

const ran = vi.fn()
const refund = tool({
  name: "refund",
  description: "Refund an order",
  needsApproval: true,
  input: z.object({ order: z.string(), amount: z.number(), note: z.string().default("-") }),
  execute: (input) => {
    ran(input)
    return `refunded ${input.amount}`
  },
})
const look = tool({ name: "look", description: "Look", effects: "none", input: {}, execute: () => "seen" })
const write = tool({
  name: "write",
  description: "Write",
  needsApproval: true,
  edits: ({ path }) => !path.startsWith(".git/"),
  input: z.object({ path: z.string() }),
  execute: ({ path }) => `wrote ${path}`,
})
const remove = tool({ name: "delete_file", description: "Delete", input: {}, execute: () => "deleted" })
const external = tool({ name: "ask", description: "Ask", needsApproval: true, input: z.object({}) })
/** A language like that of a shell: commands divided by `&&`, patterns `git:*`. */
const shell = tool({
  name: "shell",
  description: "Run commands",
  needsApproval: true,
  input: z.object({ command: z.string() }),
  rules: {
    match(pattern, { command }, allows) {
      const covers = (part: string) => part.trim().split(" ", 1)[0] === pattern.replace(":*", "")
      return allows ? command.split("&&").every(covers) : command.split("&&").some(covers)
    },
    suggest: ({ command }) => [`${command.split(" ", 1)[0]}:*`],
  },
  execute: ({ command }) => `ran ${command}`,
})
const kit = new Toolkit({ tools: [refund, look, write, remove, external, shell] })
const order42 = { order: "42", amount: 80 }

const run = (name: string, input: JsonObject, approval?: ApprovalPolicy, approved?: Approval) =>
  kit.execute(use(name, input), { approval, approved }).result
const pendingOf = (result: ToolResultBlock): PendingCall => {
  const pending = pendingCallOf(result)
  expect(pending).toBeDefined()
  return pending as PendingCall
}
const stateOf = async (name: string, input: JsonObject, approval?: ApprovalPolicy) =>
  (await run(name, input, approval)).state

describe("a call that needs approval", () => {
  test("waits, with all that a person and a later process need", async () => {
    ran.mockClear()
    const result = await run("refund", order42)
    expect(result).toMatchObject({ state: "suspended", output: [{ type: "text", text: "[Awaiting approval]" }] })
    expect(pendingOf(result)).toEqual({
      toolUse: use("refund", order42),
      kind: "approval",
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      suggestedRules: ["refund(amount=80,order=42,!)"],
    })
    expect(JSON.parse(JSON.stringify(result))).toEqual(result)
    expect(ran).not.toHaveBeenCalled()
  })

  test("runs once a person approved it", async () => {
    const pending = JSON.parse(JSON.stringify(pendingOf(await run("refund", order42)))) as PendingCall
    const result = await run("refund", order42, undefined, approve(pending))
    expect(result).toMatchObject({ state: "success", output: [{ text: "refunded 80" }] })
    expect(result).not.toHaveProperty("metadata")
  })

  test("is denied when a person says no, with the reason for the model", async () => {
    const pending = pendingOf(await run("refund", order42))
    const result = await run("refund", order42, undefined, deny(pending, "the manager said no"))
    expect(result.state).toBe("denied")
    expect(textOf(result)).toContain("the manager said no")
    expect((await run("refund", order42, undefined, deny(pending))).state).toBe("denied")
  })

  test("takes an answer for this call and this input only", async () => {
    ran.mockClear()
    const pending = pendingOf(await run("refund", order42))
    const other = pendingOf(await kit.execute(use("refund", { order: "42", amount: 8000 }, "call_2")).result)
    const answers = [
      run("refund", { order: "42", amount: 8000 }, undefined, approve(pending)),
      run("refund", order42, undefined, approve(other)),
      run("refund", order42, undefined, { ...approve(other), toolUseId: "call_1" }),
      kit.execute(use("refund", order42, "call_2"), { approved: approve(pending) }).result,
      run("refund", order42, undefined, { ...approve(pending), toolUseId: "call_2" }),
      run("refund", order42, undefined, { ...approve(pending), digest: "" }),
      run("refund", order42, undefined, deny(other)),
      // an answer that does not fit keeps even a call from running that needs none
      run("look", {}, undefined, approve(pending)),
    ]
    for (const result of await Promise.all(answers)) {
      expect(result.state).toBe("suspended")
      expect(pendingOf(result).reason).toContain("another")
    }
    expect(ran).not.toHaveBeenCalled()
  })

  test("a no counts whatever became of the call since", async () => {
    const pending = pendingOf(await run("refund", order42))
    expect((await run("refund", order42, undefined, { ...deny(pending), digest: "x" })).state).toBe("denied")
  })

  test("an answer without a clear yes is a no", async () => {
    const pending = pendingOf(await run("refund", order42))
    expect((await run("refund", order42, undefined, { ...approve(pending), decision: "maybe" as never })).state).toBe(
      "denied",
    )
  })

  test("runs with the input that the person changed, validated, defaults applied; the result says so", async () => {
    ran.mockClear()
    const pending = pendingOf(await run("refund", order42))
    const result = await run("refund", order42, undefined, approve(pending, { input: { order: "42", amount: 20 } }))
    expect(ran).toHaveBeenCalledWith({ order: "42", amount: 20, note: "-" })
    expect(textOf(result)).toBe("refunded 20")
    expect(result.metadata).toEqual({ input: { order: "42", amount: 20 } })
    const invalid = await run("refund", order42, undefined, approve(pending, { input: { order: "42", amount: "all" } }))
    expect(invalid).toMatchObject({ state: "error", metadata: { error: { code: "invalid_input" } } })
  })

  test("the changed input is judged again by what forbids, and no longer by what asks", async () => {
    const policy: ApprovalPolicy = { deny: [when(refund, ({ amount }) => amount > 100)], ask: ["refund"] }
    const pending = pendingOf(await run("refund", order42, policy))
    expect(
      (await run("refund", order42, policy, approve(pending, { input: { order: "42", amount: 500 } }))).state,
    ).toBe("denied")
    expect((await run("refund", order42, policy, approve(pending, { input: { order: "42", amount: 99 } }))).state).toBe(
      "success",
    )
    expect((await run("refund", order42, { deny: ["refund"] }, approve(pending))).state).toBe("denied")
    expect((await run("refund", order42, { mode: "read_only" }, approve(pending))).state).toBe("denied")
  })

  test("is validated first: nobody is asked about arguments that do not fit", async () => {
    expect((await run("refund", { order: "42" })).state).toBe("error")
  })

  test("of an external tool waits for its result once it is approved", async () => {
    const asked = await run("ask", {})
    expect(pendingOf(asked).kind).toBe("approval")
    const approved = await run("ask", {}, undefined, approve(pendingOf(asked)))
    expect(approved.state).toBe("suspended")
    expect(pendingOf(approved).kind).toBe("external")
  })

  test("may depend on the input, at once or by promise; a failure keeps it from running", async () => {
    const make = (needsApproval: NonNullable<Parameters<typeof tool>[0]["needsApproval"]>) =>
      new Toolkit({
        tools: [
          tool({
            name: "t",
            description: "A test",
            input: z.object({ n: z.number().default(1) }),
            needsApproval,
            execute: () => "ran",
          }),
        ],
      })
    const state = async (toolkit: Toolkit, input: JsonObject) => (await toolkit.execute(use("t", input)).result).state
    for (const over of [
      (input: unknown) => (input as { n: number }).n > 5,
      async (input: unknown) => (input as { n: number }).n > 5,
    ]) {
      expect(await state(make(over), {})).toBe("success")
      expect(await state(make(over), { n: 9 })).toBe("suspended")
    }
    expect(await state(make(false), {})).toBe("success")
    for (const broken of [
      () => {
        throw new Error("no judge")
      },
      () => Promise.reject(new Error("no judge")),
    ]) {
      const result = await make(broken).execute(use("t")).result
      expect(result).toMatchObject({ state: "error", metadata: { error: { code: "approval_failed" } } })
      expect(textOf(result)).toContain("no judge")
    }
  })

  test("can be interrupted while it is judged, and times out there", async () => {
    const execute = vi.fn(() => "ran")
    let answer: ((yes: boolean) => void) | undefined
    const slow = tool({
      name: "slow",
      description: "A test",
      input: {},
      timeoutMs: 20,
      needsApproval: () => new Promise((resolve) => (answer = resolve)),
      execute,
    })
    const toolkit = new Toolkit({ tools: [slow] })
    const cut = toolkit.execute(use("slow"))
    cut.cancel()
    answer?.(false)
    expect((await cut.result).state).toBe("interrupted")
    expect(await toolkit.execute(use("slow")).result).toMatchObject({
      state: "error",
      metadata: { error: { code: "timeout" } },
    })
    answer?.(false)
    await settled()
    expect(execute).not.toHaveBeenCalled()
  })
})

describe("rules", () => {
  test.each<[string, ApprovalRule[], string, JsonObject, boolean]>([
    ["a name", ["refund"], "refund", order42, true],
    ["another name", ["refun"], "refund", order42, false],
    ["a name with a star", ["delete_*"], "delete_file", {}, true],
    ["a star", ["*"], "look", {}, true],
    ["a star that does not fit", ["x*"], "look", {}, false],
    ["a pattern", ["refund(order=4*)"], "refund", order42, true],
    ["a pattern that does not fit", ["refund(order=5*)"], "refund", order42, false],
    ["a pattern of a name with a star", ["ref*(amount=80)"], "refund", order42, true],
    ["a pattern that takes no further argument", ["refund(order=42,!)"], "refund", order42, false],
    ["the tool's own pattern", ["shell(rm:*)"], "shell", { command: "rm x" }, true],
    ["a tool", [remove], "delete_file", {}, true],
    ["another tool", [look], "delete_file", {}, false],
    ["a condition", [when(refund, ({ amount }) => amount > 50)], "refund", order42, true],
    ["a condition that does not hold", [when(refund, ({ amount }) => amount > 500)], "refund", order42, false],
    ["a condition by promise", [when(refund, async ({ amount }) => amount > 50)], "refund", order42, true],
    ["the second of two", [when(refund, async () => false), "refund"], "refund", order42, true],
    ["none of two", [when(refund, async () => false), when(refund, async () => false)], "refund", order42, false],
  ])("%s", async (_, rules, name, input, fits) => {
    expect((await stateOf(name, input, { deny: rules })) === "denied").toBe(fits)
  })

  test("are asked in the order deny, ask, allow, needsApproval", async () => {
    const all = ["refund"]
    expect(await stateOf("refund", order42, { deny: all, ask: all, allow: all })).toBe("denied")
    expect(await stateOf("refund", order42, { ask: all, allow: all })).toBe("suspended")
    expect(await stateOf("refund", order42, { allow: all })).toBe("success")
    expect(await stateOf("refund", order42, {})).toBe("suspended")
    expect(await stateOf("delete_file", {}, {})).toBe("success")
    expect(await stateOf("delete_file", {}, { ask: ["delete_file"] })).toBe("suspended")
  })

  test("that deny or ask name themselves", async () => {
    expect(textOf(await run("delete_file", {}, { deny: ["delete_*"] }))).toContain('"delete_*"')
    expect(pendingOf(await run("delete_file", {}, { ask: ["delete_*"] })).reason).toContain('"delete_*"')
    expect(textOf(await run("refund", order42, { deny: [when(refund, () => true)] }))).toContain("when(refund")
  })

  test("with a condition see what the model sent, and not yet the defaults", async () => {
    const seen: unknown[] = []
    await run("refund", order42, {
      allow: [
        when(refund, (input, ctx) => {
          seen.push(input, ctx.toolUseId)
          return true
        }),
      ],
    })
    expect(seen).toEqual([order42, "call_1"])
  })

  test("FR-45 ask a tool's own language whether all of an input is covered, or some of it", async () => {
    const policy: ApprovalPolicy = { deny: ["shell(rm:*)"], allow: ["shell(git:*)"] }
    expect(await stateOf("shell", { command: "git status" }, policy)).toBe("success")
    expect(await stateOf("shell", { command: "git status && rm -rf x" }, policy)).toBe("denied")
    expect(await stateOf("shell", { command: "git status && curl x" }, policy)).toBe("suspended")
    expect(pendingOf(await run("shell", { command: "git push" })).suggestedRules).toEqual(["shell(git:*)"])
  })

  test("that allow count together where the tool's language says so, and only those", async () => {
    const lines = tool({
      name: "lines",
      description: "Run commands",
      needsApproval: true,
      input: z.object({ command: z.string() }),
      rules: {
        match: (pattern, { command }) => command === pattern,
        covers: (patterns, { command }) => command.split(" && ").every((part) => patterns.includes(part)),
        suggest: () => [],
      },
      execute: () => "ran",
    })
    const together = new Toolkit({ tools: [lines, shell] })
    const state = async (command: string, approval: ApprovalPolicy, name = "lines") =>
      (await together.execute(use(name, { command }), { approval }).result).state
    const allow = ["lines(a)", "li*(b)", "shell(c)"]
    expect(await state("a && b", { allow })).toBe("success")
    expect(await state("a && b && c", { allow })).toBe("suspended")
    expect(await state("a && b", { allow: ["lines(a)"] })).toBe("suspended")
    expect(await state("a && b", { allow, deny: ["lines(a && b)"] })).toBe("denied")
    expect(await state("a && b", { allow, ask: ["lines(a && b)"] })).toBe("suspended")
    // rules that deny or ask are each asked alone
    expect(await state("a && b", { deny: allow, allow })).toBe("success")
    // a language without it: one rule has to cover all
    expect(await state("a && b", { allow: ["shell(a:*)", "shell(b:*)"] }, "shell")).toBe("suspended")
  })

  test("that were suggested allow the same call from then on", async () => {
    for (const [name, input] of [
      ["refund", { order: "a*b,c=d\\", amount: 1 }],
      ["shell", { command: "git log" }],
      ["ask", {}],
    ] as const) {
      const rules = pendingOf(await run(name, input)).suggestedRules ?? []
      expect(rules).toHaveLength(1)
      const later = await run(name, input, { allow: rules })
      expect(later.state).toBe(name === "ask" ? "suspended" : "success")
      if (name === "ask") expect(pendingOf(later).kind).toBe("external")
    }
    expect(
      await stateOf(
        "refund",
        { order: "axb,c=d\\", amount: 1 },
        { allow: ["refund(amount=1,order=a\\*b\\,c\\=d\\\\)"] },
      ),
    ).toBe("suspended")
  })

  test("that were suggested allow no call with an argument more than the one that was approved", async () => {
    const erase = tool({
      name: "erase",
      description: "Erase",
      needsApproval: true,
      input: z.object({ path: z.string().optional(), recursive: z.boolean().optional() }),
      execute: () => "erased",
    })
    const kit = new Toolkit({ tools: [erase] })
    const calls = [{}, { path: "a" }, { path: "a", recursive: true }, { recursive: true }]
    for (const approved of calls) {
      const { suggestedRules = [] } = pendingOf(await kit.execute(use("erase", approved)).result)
      for (const later of calls) {
        const { state } = await kit.execute(use("erase", later), { approval: { allow: suggestedRules } }).result
        expect(state).toBe(later === approved ? "success" : "suspended")
      }
    }
  })

  test("that were suggested for a server's tool speak of that one alone, whatever its name", async () => {
    const names = [
      "files.read",
      "a/b",
      "läuft",
      "*",
      "refund(order=*)",
      "refund(order=*",
      "re*",
      "\\",
      " a b ",
      "(",
      "refund",
    ]
    for (const name of names) {
      const served = remoteTool({
        name,
        description: "d",
        parameters: { type: "object" },
        fingerprint: "1",
        execute: async () => "x",
      })
      const kit = new Toolkit()
      await kit.register({ name: "server", listTools: async () => [served] })
      if (name !== "refund") kit.register(refund)
      const asked = await kit.execute(use(name, {}), { approval: { ask: [served] } }).result
      const [rule = ""] = pendingOf(asked).suggestedRules ?? []
      expect(Object.keys(kit.remembered(rule).tools)).toEqual([name])
      const denied = async (called: string, input: JsonObject) =>
        (await kit.execute(use(called, input), { approval: { deny: [rule] } }).result).state
      expect(await denied(name, {})).toBe("denied")
      if (name !== "refund") expect(await denied("refund", order42)).toBe("suspended")
    }
  })

  test("that fail keep the call from running", async () => {
    for (const test of [
      () => {
        throw new Error("no")
      },
      () => Promise.reject(new Error("no")),
    ]) {
      for (const kind of ["deny", "ask", "allow"] as const) {
        const result = await run("refund", order42, { [kind]: [when(refund, test)] })
        expect(result).toMatchObject({ state: "error", metadata: { error: { code: "approval_failed" } } })
      }
    }
  })

  test("that cannot be read are an error where the policy is given, and keep every call from running", async () => {
    for (const rule of ["", "a b", "refund(", "refund)x", "a(b)c", 7, null, {}]) {
      const policy = { deny: [rule as never] }
      expect(() => checkApprovalPolicy(policy)).toThrow(expect.objectContaining({ code: "invalid_rule" }))
      expect((await run("look", {}, policy)).state).toBe("error")
    }
    expect(() =>
      checkApprovalPolicy({ deny: ["a*"], ask: ["a(b(c))"], allow: [look, when(look, () => true)] }),
    ).not.toThrow()
  })

  test("with a mode that there is not, or no list, keep every call from running", async () => {
    for (const policy of [{ mode: "readonly" }, { mode: "" }, { mode: null }, { deny: "look" }] as never[]) {
      expect(() => checkApprovalPolicy(policy)).toThrow(expect.objectContaining({ code: "invalid_rule" }))
      expect((await run("look", {}, policy)).state).toBe("error")
    }
    expect(() => checkApprovalPolicy({ mode: "read-only" as never })).toThrow('Did you mean "read_only"?')
  })

  test("added to a list in use count from then on", async () => {
    const deny: ApprovalRule[] = ["x"]
    expect(await stateOf("look", {}, { deny })).toBe("success")
    deny.push("look")
    expect(await stateOf("look", {}, { deny })).toBe("denied")
    deny[1] = "y"
    expect(await stateOf("look", {}, { deny })).toBe("success")
  })

  test("refuse a renamed tool under either name, and allow it only under the one it is registered with", async () => {
    const fake = tool({ name: "refund", description: "Another", needsApproval: true, input: {}, execute: () => "x" })
    const renamed = new Toolkit({ tools: [refund] })
    renamed.register(fake, { onNameClash: "rename" })
    const state = async (approval: ApprovalPolicy) =>
      (await renamed.execute(use("refund_2"), { approval }).result).state
    for (const rule of ["refund", "refund_2", fake, when(fake, () => true), refund])
      expect(await state({ deny: [rule] })).toBe("denied")
    for (const rule of ["refund_2", fake, when(fake, () => true)])
      expect(await state({ allow: [rule] })).toBe("success")
    for (const rule of ["refund", refund, when(refund, () => true)])
      expect(await state({ allow: [rule] })).toBe("suspended")
  })
})

describe("a mode", () => {
  test.each<[Mode, string, string, string, string, string, string]>([
    // mode: refund (needs approval), an edit, an edit out of bounds, a tool with effects, one without, an ask rule for that
    ["default", "suspended", "suspended", "suspended", "success", "success", "suspended"],
    ["accept_edits", "suspended", "success", "suspended", "success", "success", "suspended"],
    ["read_only", "denied", "denied", "denied", "denied", "success", "suspended"],
    ["bypass", "success", "success", "success", "success", "success", "suspended"],
    ["never_ask", "denied", "denied", "denied", "success", "success", "denied"],
  ])("%s", async (mode, ...states) => {
    expect([
      await stateOf("refund", order42, { mode }),
      await stateOf("write", { path: "a.txt" }, { mode }),
      await stateOf("write", { path: ".git/config" }, { mode }),
      await stateOf("delete_file", {}, { mode }),
      await stateOf("look", {}, { mode }),
      await stateOf("look", {}, { mode, ask: ["look"] }),
    ]).toEqual(states)
  })

  test("never lifts what a rule denies", async () => {
    for (const mode of ["default", "accept_edits", "read_only", "bypass", "never_ask"] as const) {
      expect(await stateOf("look", {}, { mode, deny: ["look"] })).toBe("denied")
    }
  })

  test("read_only does not heed what a rule allows; never_ask does", async () => {
    expect(await stateOf("refund", order42, { mode: "read_only", allow: ["refund"] })).toBe("denied")
    expect(await stateOf("refund", order42, { mode: "never_ask", allow: ["refund"] })).toBe("success")
  })
})

describe("whether a call could have to wait for approval", () => {
  const policies: Record<string, ApprovalPolicy | undefined> = {
    none: undefined,
    empty: {},
    asks: { ask: ["lo*"] },
    asksSome: { ask: [when(look, () => false)] },
    denies: { deny: ["*"] },
    bypass: { mode: "bypass" },
    never: { mode: "never_ask", ask: ["*"] },
  }
  test.each([
    ["none", false, true],
    ["empty", false, true],
    ["asks", true, true],
    ["asksSome", true, true],
    ["denies", false, true],
    ["bypass", false, false],
    ["never", false, false],
  ])("is known at once: %s", (policy, look, refund) => {
    expect(kit.mayAsk("look", policies[policy])).toBe(look)
    expect(kit.mayAsk("refund", policies[policy])).toBe(refund)
  })

  test("also for the meta tool, and not for what does not exist", () => {
    const grouped = new Toolkit({ groups: [{ name: "g", description: "A test" }] })
    expect(grouped.mayAsk("reset_tools", { ask: ["*"] })).toBe(true)
    expect(grouped.mayAsk("nothing", { ask: ["*"] })).toBe(false)
  })
})

test("approvals see presets, which the model never sees", async () => {
  const toolkit = new Toolkit()
  const seen: unknown[] = []
  const mail: AnyTool = tool({
    name: "mail",
    description: "A test",
    input: z.object({ to: z.string(), key: z.string() }),
    execute: () => "sent",
  })
  toolkit.register(mail, { presetArgs: { key: "secret" } })
  const policy: ApprovalPolicy = {
    ask: [
      when(mail, (input) => {
        seen.push(input)
        return true
      }),
    ],
  }
  const result = await toolkit.execute(use("mail", { to: "ann" }), { approval: policy }).result
  expect(seen).toEqual([{ to: "ann", key: "secret" }])
  // what goes out with the pending call is not
  expect(JSON.stringify(result)).not.toContain("secret")
})

test("a pattern for arguments is asked about what the model sent, not about presets", async () => {
  const toolkit = new Toolkit()
  const mail: AnyTool = tool({
    name: "mail",
    description: "A test",
    needsApproval: true,
    input: z.object({ to: z.string(), key: z.string() }),
    execute: () => "sent",
  })
  toolkit.register(mail, { presetArgs: { key: "secret" } })
  const state = async (allow: string, input: JsonObject) =>
    (await toolkit.execute(use("mail", input), { approval: { allow: [allow] } }).result).state
  expect(await state("mail(ann*)", { to: "ann@acme.com" })).toBe("success")
  expect(await state("mail(key=*)", { to: "ann@acme.com" })).toBe("suspended")
  // what the model sends for a preset does not count
  expect(await state("mail(ann*)", { to: "ann@acme.com", key: "x" })).toBe("success")
})

test("only a suspended result waits for something", async () => {
  expect(pendingCallOf(await run("look", {}))).toBeUndefined()
  expect(pendingCallOf({ ...(await run("refund", order42)), state: "success" })).toBeUndefined()
})
