import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { FileRoot } from "../files/file-root.ts"
import { TempFolder } from "../fixtures/temp-folder.ts"
import { allows, commandRule, concerns, exactPattern } from "./command-rules.ts"
import { readCommand } from "./read-command.ts"

const root = new FileRoot(".")
const covers = (rules: readonly string[], line: string): boolean =>
  allows(rules.map(commandRule), readCommand(line), root)
const refuses = (rule: string, line: string): boolean => concerns(commandRule(rule), readCommand(line))

describe("rules for commands", () => {
  it.each<[string, string, boolean]>([
    ["git:*", "git", true],
    ["git:*", "git push --force", true],
    ["git:*", "gitk", false],
    ["git:*", "/usr/bin/git push", false],
    ["git:*", "./git push", false],
    ["git push:*", "git push origin main", true],
    ["git push:*", "git pushx", false],
    ["git push:*", "git  'push'   x", true],
    ["git push:*", 'git "$X"', false],
    ["git:*", "git add $X", true],
    ["git:*", "git config core.pager x", false],
    ["git config:*", "git config core.pager x", true],
    ["git *", "git config core.pager x", false],
    ["make test", "make test", true],
    ["make test", "make  'test'", true],
    ["make test", "make test x", false],
    ["make test", "make", false],
    ['git commit -m "a b"', "git commit -m 'a b'", true],
    ["npm run *", "npm run build", true],
    ["npm run *", "npm run build -- --watch", true],
    ["npm run *", "npm install", false],
    ["npm * test", "npm -w a test", true],
    [String.raw`npm run \*`, "npm run *", true],
    [String.raw`npm run \*`, "npm run build", false],
    ["*", "anything at all", true],
    [":*", "anything at all", true],
    ["a.b:*", "aXb", false],
    ["> out/*", "make > out/log", true],
    ["make", "make > out/log", false],
    ["CI_TOKEN=*", "CI_TOKEN=1 make", false],
    ["git pull:*, npm test:*", "git pull && npm test -- x", true],
    ["git pull:*, npm test:*", "npm test", true],
    ["git pull:*, npm test:*", "git pull && npm install", false],
  ])("%s covers %s: %s", (rule, line, expected) => {
    const extra = line.startsWith("make >") && rule.startsWith(">") ? ["make"] : []
    expect(covers([rule, ...extra], line)).toBe(expected)
  })

  it("cover a line only together, whatever only reads needs none", () => {
    expect(covers(["git:*"], "git push && npm test")).toBe(false)
    expect(covers(["git:*", "npm test:*"], "git push && npm test")).toBe(true)
    expect(covers(["npm test"], "git status && npm test | head -20")).toBe(true)
    expect(covers(["make", "CI_TOKEN=*", "> log"], "CI_TOKEN=1 make > log")).toBe(true)
  })

  it("of the exact line cover it, also where it cannot be judged", () => {
    const line = 'for f in *; do $CMD "$f"; done'
    expect(covers([exactPattern(line)], line)).toBe(true)
    expect(covers([exactPattern(line)], `${line}; rm x`)).toBe(false)
    expect(covers(["*"], line)).toBe(false)
    expect(covers([exactPattern("a && b")], "b")).toBe(false)
  })

  it("FR-45 allow git: only git", () => {
    for (const line of [
      "git status && rm -rf x",
      "git log | sh",
      "git $(rm x)",
      "git `rm x`",
      "echo p > ~/.profile",
      "git status; rm x",
      "git status & rm x",
      "git status\nrm x",
      "git diff > x",
      "A=1 git status",
      "xargs rm",
      "f() { rm x; }; git status; f",
      'git "unterminated',
    ]) {
      expect(covers(["git:*", "echo:*"], line)).toBe(false)
    }
    expect(covers(["git:*"], 'git commit -m "a && b; rm x | sh > y"')).toBe(true)
    expect(covers(["git:*"], "timeout 60 git fetch && git log | head")).toBe(true)
  })
})

it("a pattern with stars takes no longer than the line is long", () => {
  const startedAt = performance.now()
  expect(covers(["touch *a*b*a*b*c"], `touch ${"ab".repeat(20_000)}`)).toBe(false)
  expect(performance.now() - startedAt).toBeLessThan(2000)
})

describe("rules that deny or ask", () => {
  it.each([
    "rm x",
    "git status && rm -rf x",
    "echo $(rm x)",
    "/bin/rm x",
    String.raw`\rm x`,
    '"r"m x',
    "sudo rm x",
    "sudo -u root -- rm x",
    "xargs rm",
    "find . -exec rm {} +",
    "bash -c 'rm x'",
    'sh -c "git; rm x"',
    "env A=1 rm x",
    "nohup rm x &",
    "watch 'rm x'",
    "f() { rm x; }",
    "cat <<E\n`rm x`\nE",
    "trap 'rm x' EXIT",
    "$X y",
    'eval "$X"',
    "echo 'rm x' | sh",
    'git "unterminated',
    "source rm",
  ])("FR-45 rm:* concerns %s", (line) => {
    expect(refuses("rm:*", line)).toBe(true)
  })

  it.each([
    "git rm x",
    "echo rm x",
    "git commit -m 'rm x'",
    "rmdir x",
    "ls rm",
    "cat <<'E'\n`rm x`\nE",
    "# rm x",
    "docker rm x",
  ])("rm:* does not concern %s", (line) => {
    expect(refuses("rm:*", line)).toBe(false)
  })

  it("look at the line as it is written, too", () => {
    expect(refuses("curl * | python*", "curl x | python3 -")).toBe(true)
    expect(refuses("rm -rf *", "git x; /bin/rm -rf /")).toBe(true)
    expect(refuses("> /etc/*", "echo x > /etc/passwd")).toBe(true)
    expect(refuses("git:*", "git config a b")).toBe(true)
  })
})

describe("FR-45 no place that runs a command hides it", () => {
  // each runs what stands for H, whatever it is
  const places = [
    "H",
    "git && H",
    "git; H",
    "git | H",
    "git & H",
    "H; git",
    "(H)",
    "{ H; }",
    "! H",
    "time H",
    "git $(H)",
    "git `H`",
    'git "$(H)"',
    'git "`H`"',
    "echo ${x:-$(H)}",
    'echo "${x:-$(H)}"',
    "cat <(H)",
    "x=$(H)",
    "x=$(H) git",
    "if H; then git; fi",
    "if git; then H; fi",
    "while H; do break; done",
    "for x in $(H); do git; done",
    "for x in a; do H; done",
    "case $(H) in a) git;; esac",
    "case a in a) H;; esac",
    "f() { H; }; f",
    "cat <<E\n$(H)\nE",
    "cat <<< $(H)",
    "git > $(H)",
    "echo {a,$(H)}",
    "git\nH",
    "coproc { H; }",
    "bash -c 'H'",
    "eval 'H'",
    "trap 'H' EXIT",
    "[[ -f $(H) ]]",
    "git status \\\n&& H",
    "git # x\nH",
    "echo 'a' $(H)",
    String.raw`echo \$(a) $(H)`.replace("(a)", "a"),
  ]
  // these run one plain command
  const wrappers = [
    "H",
    "command H",
    "nohup H",
    "timeout 5 H",
    "env H",
    "nice -n 3 H",
    "xargs H",
    "exec H",
    "stdbuf -oL H",
    "find . -exec H ;",
    "sudo H",
  ]
  const sequences = fc.array(fc.constantFrom(...places), { minLength: 1, maxLength: 3 })

  it("in any nesting of places: git:* never covers it, and a rule against it sees it", () => {
    fc.assert(
      fc.property(fc.constantFrom(...wrappers), sequences, (wrapper, nested) => {
        let line = wrapper.replace("H", "evil x")
        for (const place of nested) {
          // a quote inside quotes would end them
          if (place.includes("'H'") && line.includes("'")) continue
          line = place.replace("H", () => line)
        }
        const read = readCommand(line)
        expect(allows(["git:*", "echo:*", "cat:*"].map(commandRule), read, root), line).toBe(false)
        expect(concerns(commandRule("evil:*"), read), line).toBe(true)
      }),
      { numRuns: process.env["AGENTSCOPE_SOAK"] === "1" ? 20_000 : 1500, seed: 45 },
    )
  })

  it("and text that runs nothing is never taken for a command", () => {
    const quiet = ["git 'H'", "git commit -m 'x H'", "echo 'a' 'H'", "cat <<'E'\nH\nE", "git # H"]
    for (const place of quiet) {
      for (const text of ["evil x", "a && evil x", "$(evil x)", "`evil`", "a; evil x | b > c"]) {
        expect(
          covers(
            ["git:*", "echo:*", "cat:*"],
            place.replace("H", () => text),
          ),
        ).toBe(true)
      }
    }
  })
})

it("a folder as root decides what reading is free", () => {
  const folder = new TempFolder({ "in/a": "" })
  const inside = new FileRoot(folder.at("in"))
  expect(allows([], readCommand("cat a"), inside)).toBe(true)
  expect(allows([], readCommand("cat ../b"), inside)).toBe(false)
})
