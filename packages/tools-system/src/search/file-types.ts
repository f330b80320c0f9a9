import { systemError } from "../error.ts"

/** Kinds of files by their endings, after ripgrep's `--type`. */
const types: Readonly<Record<string, string>> = {
  c: "*.{c,h}",
  cpp: "*.{cc,cpp,cxx,hh,hpp,hxx,h}",
  cs: "*.cs",
  css: "*.{css,scss,sass,less}",
  go: "*.go",
  html: "*.{html,htm}",
  java: "*.java",
  js: "*.{js,jsx,mjs,cjs,vue}",
  json: "*.json",
  kotlin: "*.{kt,kts}",
  lua: "*.lua",
  md: "*.{md,mdx,markdown}",
  php: "*.php",
  py: "*.{py,pyi}",
  ruby: "*.rb",
  rust: "*.rs",
  sh: "*.{sh,bash,zsh}",
  sql: "*.sql",
  swift: "*.swift",
  toml: "*.toml",
  ts: "*.{ts,tsx,mts,cts}",
  txt: "*.txt",
  xml: "*.xml",
  yaml: "*.{yaml,yml}",
}
const aliases: Readonly<Record<string, string>> = {
  javascript: "js",
  jsx: "js",
  markdown: "md",
  python: "py",
  rb: "ruby",
  rs: "rust",
  tsx: "ts",
  typescript: "ts",
  yml: "yaml",
}

/** The globs of a kind of file; throws `invalid_argument` for an unknown one. */
export function typeGlobs(type: string): readonly string[] {
  const name = type.toLowerCase()
  const known = Object.hasOwn(aliases, name) ? (aliases[name] as string) : name
  if (Object.hasOwn(types, known)) return [types[known] as string]
  throw systemError(
    "invalid_argument",
    `The file type "${type}" is unknown. Known are ${Object.keys(types).join(", ")}; for others use "glob".`,
  )
}
