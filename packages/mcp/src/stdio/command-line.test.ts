import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { childEnvironment } from "./child-environment.ts"
import { commandLine, type CommandPlace } from "./command-line.ts"

/** A Windows machine with these files. */
const windows = (...files: string[]): CommandPlace => ({
  env: { Path: "C:\\Program Files\\nodejs;C:\\tools", PATHEXT: ".COM;.EXE;.BAT;.CMD", ComSpec: "C:\\W\\cmd.exe" },
  cwd: undefined,
  platform: "win32",
  exists: (file) => files.some((one) => one.toLowerCase() === file.toLowerCase()),
})
const npx = "C:\\Program Files\\nodejs\\npx.cmd"

/** How `cmd.exe` reads a line: carets outside of quotes take the meaning of what follows; `%` is no variable after one. */
function readByCmd(line: string): { text: string; isSafe: boolean } {
  let text = ""
  let isSafe = true
  let quoted = false
  for (let i = 0; i < line.length; i++) {
    const char = line[i] as string
    if (char === '"') quoted = !quoted
    if (char === "^" && !quoted) {
      i += 1
      text += line[i] ?? ""
      continue
    }
    if (!quoted && /[&|<>()]/.test(char)) isSafe = false
    if (char === "%") isSafe = false
    text += char
  }
  return { text, isSafe }
}

/** How a program on Windows takes its command line apart. */
function argumentsOf(line: string): string[] {
  const args: string[] = []
  let current = ""
  let quoted = false
  let any = false
  for (let i = 0; i < line.length; ) {
    const slashes = /^\\*/.exec(line.slice(i))?.[0].length ?? 0
    const next = line[i + slashes]
    if (next === '"') {
      current += "\\".repeat(Math.floor(slashes / 2))
      if (slashes % 2 === 1) current += '"'
      else quoted = !quoted
      any = true
      i += slashes + 1
    } else if (slashes > 0) {
      current += "\\".repeat(slashes)
      i += slashes
    } else if (next === " " && !quoted) {
      if (any || current !== "") args.push(current)
      current = ""
      any = false
      i += 1
    } else {
      current += next ?? ""
      i += 1
    }
  }
  if (any || current !== "") args.push(current)
  return args
}

describe("FR-39 commands on Windows", () => {
  test("npx is found as a batch file and goes through cmd.exe; the environment keeps its base", () => {
    const line = commandLine("npx", ["-y", "pkg"], windows(npx))
    expect(line.command).toBe("C:\\W\\cmd.exe")
    expect(line.args).toEqual(["/d", "/s", "/c", '"C:\\Program^ Files\\nodejs\\npx.cmd ^^^"-y^^^" ^^^"pkg^^^""'])
    expect(line.windowsVerbatimArguments).toBe(true)
    const parent = { Path: "C:\\tools", SystemRoot: "C:\\W", AWS_SECRET: "s" }
    expect(childEnvironment({ TOKEN: "x" }, "win32", parent)).toEqual({
      Path: "C:\\tools",
      SystemRoot: "C:\\W",
      TOKEN: "x",
    })
    expect(childEnvironment({ PATH: "D:\\" }, "win32", parent)).toEqual({ SystemRoot: "C:\\W", PATH: "D:\\" })
  })

  test("programs are started directly, also by path or with their ending", () => {
    const place = windows("C:\\tools\\node.exe", "D:\\x y\\server.exe")
    expect(commandLine("node", ["a b"], place)).toEqual({
      command: "C:\\tools\\node.exe",
      args: ["a b"],
      windowsVerbatimArguments: false,
    })
    expect(commandLine("D:\\x y\\server.exe", [], place).command).toBe("D:\\x y\\server.exe")
    expect(commandLine("node.exe", [], place).command).toBe("C:\\tools\\node.exe")
  })

  test("a command that is nowhere is left to cmd.exe, which says so", () => {
    expect(commandLine("uvx", [], windows()).args.at(-1)).toBe('"uvx"')
  })

  test("a command with its arguments in it is told where they go", () => {
    expect(() => commandLine("npx -y foo", [], windows(npx))).toThrow('command: "npx", args: ["-y", "foo"]')
    expect(commandLine("C:\\x y\\run.cmd", [], windows("C:\\x y\\run.cmd")).command).toBe("C:\\W\\cmd.exe")
  })

  test("no argument can say anything to cmd.exe, nor to the batch file, and each arrives as it was", () => {
    const nasty = [
      "&",
      "|",
      '"',
      "^",
      "%PATH%",
      "a b",
      "\\",
      '\\"',
      "&calc.exe",
      "(",
      ")",
      "!x!",
      "<",
      ">",
      "",
      ";",
      ",",
    ]
    const arg = fc.oneof(
      fc.string({ unit: "grapheme-ascii" }),
      fc.array(fc.constantFrom(...nasty)).map((parts) => parts.join("")),
    )
    fc.assert(
      fc.property(fc.array(arg), (args) => {
        const line = commandLine("npx", args, windows(npx)).args.at(-1) ?? ""
        const once = readByCmd(line.slice(1, -1))
        expect(once.isSafe).toBe(true)
        const twice = readByCmd(once.text.slice("C:\\Program Files\\nodejs\\npx.cmd".length))
        expect(twice.isSafe).toBe(true)
        expect(argumentsOf(twice.text)).toEqual(args)
      }),
      { numRuns: 500 },
    )
  })

  test("what cannot be escaped is refused", () => {
    expect(() => commandLine("npx", ["a\nb"], windows(npx))).toThrow("cannot hold line breaks")
    expect(() => commandLine("npx", ["a\0b"], windows(npx))).toThrow("NUL character")
    expect(() => commandLine("node", ["a\0b"], { ...windows(), platform: "linux" })).toThrow("NUL character")
  })

  test("elsewhere nothing is changed", () => {
    expect(commandLine("npx", ["-y", "a b"], { ...windows(), platform: "linux" })).toEqual({
      command: "npx",
      args: ["-y", "a b"],
      windowsVerbatimArguments: false,
    })
    const parent = { PATH: "/bin", HOME: "/root", LANG: "C.UTF-8", OPENAI_API_KEY: "k", SHELL: "() { :; }" }
    expect(childEnvironment({ TOKEN: "x", HOME: "/tmp" }, "linux", parent)).toEqual({
      PATH: "/bin",
      LANG: "C.UTF-8",
      TOKEN: "x",
      HOME: "/tmp",
    })
  })
})

describe("FR-39 the way to the net", () => {
  const proxies = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "NPM_CONFIG_REGISTRY", "NPM_CONFIG_CAFILE"]
  const all = [
    "NODE_EXTRA_CA_CERTS",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    ...proxies,
    ...proxies.map((name) => name.toLowerCase()),
  ]

  test.each(["linux", "darwin", "win32"] as const)(
    "certificates, proxies and the registry go along on %s",
    (platform) => {
      const parent = Object.fromEntries(all.map((name) => [name, `of ${name}`]))
      const secrets = { NPM_TOKEN: "t", "npm_config_//registry.npmjs.org/:_authToken": "t", NPM_CONFIG__AUTH: "t" }
      expect(childEnvironment({}, platform, { ...parent, ...secrets })).toEqual(parent)
    },
  )

  test("a proxy that is given takes the place of this process's, in whatever case", () => {
    const parent = { HTTPS_PROXY: "http://company:3128", https_proxy: "http://company:3128", NO_PROXY: "localhost" }
    expect(childEnvironment({ https_proxy: "" }, "linux", parent)).toEqual({ https_proxy: "", NO_PROXY: "localhost" })
  })
})
