// Packages import only from rows above their own, by the package's name, and the core takes no Node built-in at load.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { filesBelow, report, root } from "./workspace.mjs"

/** The order of packages: each may import the rows before its own, none beside it. Tests obey it too. */
export const rows = [
  ["message"],
  // of tests alone: tooling/fixtures
  ["fixtures"],
  ["tracing"],
  ["state"],
  ["model"],
  ["testing"],
  ["model-openai", "model-anthropic", "model-gemini", "model-dashscope", "model-ollama", "model-offline"],
  ["model-mistral"],
  ["tool"],
  ["tools-system", "tools-multimodal", "mcp"],
  ["memory"],
  ["memory-mem0"],
  ["agent"],
  ["pipeline"],
  ["agentscope-ts"],
]
/** Packages that run on any JavaScript runtime: Node built-ins are loaded inside the call that needs them. */
const anyRuntime = new Set([
  "message",
  "tracing",
  "state",
  "model",
  "model-openai",
  "model-anthropic",
  "model-gemini",
  "model-dashscope",
  "model-ollama",
  "model-mistral",
  "model-offline",
  "tool",
  "memory",
  "memory-mem0",
  "agent",
  "pipeline",
])
/** Named subpaths that exist for Node alone. */
const nodeOnly = new Set(["packages/tracing/src/node.ts"])

const rowOf = (name) => rows.findIndex((row) => row.includes(name))
const specifier =
  /(?:^|[^.\w])(?:import|export)\s*(?:type\s*)?(?:[\w*{}\s,$]+\s+from\s*)?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)/g

/** The rule that an import breaks, or undefined. */
export function judge(file, target, isStatic) {
  const [, group, own] = file.match(/^(packages|apps|tooling)\/([^/]+)\//) ?? []
  const [, scoped, subpath] = target.match(/^@agentscope-ts\/([^/]+)(\/.*)?$/) ?? []
  if (
    target.startsWith(".") &&
    target.split("/").filter((part) => part === "..").length >= file.split("/").length - 2
  ) {
    return `reaches out of its package with ${target}: import the package by its name`
  }
  if (scoped && /^\/(src|dist)\b/.test(subpath ?? "")) return `imports the inside of ${scoped}: use its entry`
  if (group !== "packages") return undefined
  if (scoped && rowOf(scoped) < 0) return `imports ${scoped}, which has no row in tooling/checks/imports.mjs`
  if (rowOf(own) < 0) return `${own} has no row in tooling/checks/imports.mjs`
  if (scoped && rowOf(scoped) >= rowOf(own)) return `imports ${scoped}, which does not stand above ${own}`
  const isTest = /\.test(-d)?\.ts$/.test(file) || file.includes("/fixtures/")
  if (target.startsWith("node:") && isStatic && anyRuntime.has(own) && !isTest && !nodeOnly.has(file)) {
    return `loads ${target} at import, but ${own} runs on any runtime: load it inside the call that needs it`
  }
  return undefined
}

/** The specifiers of a file's imports: `[target, whether it loads with the file]`. Type-only imports load nothing. */
export function importsOf(source) {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "")
  return [...code.matchAll(specifier)].map((match) => {
    const isStatic = match[1] !== undefined && !/^\W*(?:import|export)\s+type\b/.test(match[0])
    return [match[1] ?? match[2], isStatic]
  })
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const files = ["packages", "apps"]
    .flatMap((folder) => filesBelow(folder, ".ts", ".tsx"))
    .filter((file) => file.includes("/src/"))
  const problems = files.flatMap((file) =>
    importsOf(readFileSync(join(root, file), "utf8")).flatMap(([target, isStatic]) => {
      const rule = judge(file, target, isStatic)
      return rule ? [`${file} ${rule}`] : []
    }),
  )
  report("imports", problems, `${files.length} files`)
}
