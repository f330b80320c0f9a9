import { type Quote, quoteMark, quotesIn, unmask } from "./spans.ts"

const bareFiles =
  /^(?:README|LICEN[CS]E|CHANGELOG|CONTRIBUTING|AUTHORS|NOTICE|VERSION|Makefile|Dockerfile|Gemfile|Rakefile|Procfile|Justfile)$/u
const extension = /^[^\s/\\*?"<>|]*[\p{L}\p{N}_\-)\]}]\.[\p{L}][\p{L}\p{N}_-]{0,11}$/u
const abbreviations = /^(?:e\.g|i\.e|a\.m|p\.m|etc|v\d+(?:\.\d+)*|no|vs)$/iu

/** Whether a token of a request can only be a file's or folder's name: it has a slash, an extension or a leading dot. */
export function isPathLike(token: string): boolean {
  if (token === "" || /\s/u.test(token) || /^\p{L}+:\/\//u.test(token)) return false
  if (token === "." || token === ".." || token.startsWith("./") || token.startsWith("../") || token.startsWith("~/"))
    return true
  if (/^\p{L}+\/\p{L}+$/u.test(token)) return !/^(?:and|or|he|his|her|either|yes|true|on|in|read|input)\//iu.test(token)
  if (token.includes("/") || token.includes("\\")) return /[\p{L}\p{N}]/u.test(token) && !isFraction(token)
  if (/^\.[\p{L}_][\p{L}\p{N}_.-]*$/u.test(token)) return true
  return bareFiles.test(token) || (extension.test(token) && !abbreviations.test(token))
}

/** `1/2`, `1/3+1/6`, `(1+2)/3`: numbers with signs of arithmetic, and no date with slashes. */
const isFraction = (token: string): boolean =>
  /^[\d.]+\/[\d.]+$/u.test(token) ||
  (/^[\d.()+*/^%-]+$/u.test(token) && /\d/u.test(token) && /[\d)][+*^%]|\/[\d.]+-[\d.]+\/|[()]/u.test(token))

/** Whether a token is a pattern of names. */
export const isGlob = (token: string): boolean =>
  /[*?]/u.test(token) && /^[^\s()+=]*[\p{L}\p{N}./*][^\s()+=]*$/u.test(token)

/** A token without the punctuation of the sentence around it. */
export const bare = (token: string): string =>
  token.replace(/^[([{,]+/u, "").replace(/(?:[,;:!?)\]}]|\.(?=$|[,;:!?)\]}]*$))+$/u, "")

/** The words of a text without punctuation around them; `docs/my notes.md` is one, for "docs/my" alone has no ending. */
function tokensOf(text: string): string[] {
  const words = text.trim().split(/\s+/u)
  const tokens: string[] = []
  for (const [i, word] of words.entries()) {
    const before = words[i - 1]
    const token = word === "." ? word : bare(word)
    const goesOn =
      before?.includes("/") && !/[.,;:!?/]/u.test(before.at(-1) ?? "") && !before.split("/").at(-1)?.includes(".")
    if (goesOn && isPathLike(before as string) && !token.includes("/") && extension.test(token))
      tokens[tokens.length - 1] = `${before} ${token}`
    else tokens.push(token)
  }
  return tokens
}

/** The files and folders named in masked text, in order, each once; a quoted part counts when it looks like one. */
export function pathsIn(text: string, quotes: readonly Quote[]): string[] {
  const found: string[] = []
  for (const token of tokensOf(text)) {
    const inner = quotesIn(token, quotes)
    const path = inner.length === 1 && token.length === 2 ? (inner[0] as string) : unmask(token, quotes)
    const fits =
      inner.length === 1 || path.includes(" ")
        ? /^[^\n]{1,255}$/u.test(path) && (isPathLike(path) || isPathLike(path.replaceAll(" ", "_")))
        : isPathLike(path)
    if (fits && !isGlob(path) && !found.includes(path)) found.push(path)
  }
  return found
}

/** The patterns of names in masked text. */
export function globsIn(text: string, quotes: readonly Quote[]): string[] {
  return tokensOf(text)
    .map((token) => unmask(token, quotes))
    .filter((token) => isGlob(token) && !/^\d[\d.*]*$/u.test(token))
}

const kinds: Readonly<Record<string, string>> = {
  markdown: "md",
  typescript: "ts",
  javascript: "js",
  python: "py",
  text: "txt",
  rust: "rs",
  ruby: "rb",
  yaml: "{yaml,yml}",
  yml: "{yaml,yml}",
  jpeg: "{jpg,jpeg}",
  image: "{png,jpg,jpeg,gif,webp,svg}",
}
const extensions = new Set(
  "md ts tsx js jsx mjs cjs py txt rs rb go java c h cpp cs json jsonl html css csv toml xml sh sql svg png jpg gif pdf log lock env vue php swift kt".split(
    " ",
  ),
)

/** The pattern that "all markdown files", ".ts files" or "files ending in .json" stand for. */
export function globOfKind(text: string): string | undefined {
  const named = /(?<![\p{L}\p{N}])\.?(\p{L}[\p{L}\p{N}]*)[ -]files?(?![\p{L}\p{N}])/iu.exec(text)?.[1]?.toLowerCase()
  const kind = named && (kinds[named] ?? (extensions.has(named) ? named : undefined))
  if (kind) return `**/*.${kind}`
  const ending =
    /(?:ending|ends?|extension|type)\s+(?:in|with|is|of)?\s*\.?([\p{L}\p{N}]{1,8})(?![\p{L}\p{N}.])/iu.exec(text)?.[1]
  return ending === undefined || /^(?:in|with|is|of)$/iu.test(ending) ? undefined : `**/*.${ending}`
}

const nowhere =
  /^(?:the|this|that|these|those|here|it|its|there|current|working|all|any|each|every|them|my|our|your|a|an|which|what|root|folder|directory|dir|project|repo|repository|workspace|file|files|folders?|directories|code|codebase|order|detail|short|total|one|two|place|case|source|sources|everything|lines?)$/iu
const placeAfter = (prepositions: string): RegExp =>
  new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${prepositions})\\s+(?:(?:the|this|my|our|that)\\s+)?(?:(?:folder|directory|dir)\\s+(?:called\\s+|named\\s+)?)?(${quoteMark}|[^\\s,;:!?]+)(?:\\s+(folder|directory|dir)\\b)?`,
    "giu",
  )
const place = placeAfter("in|inside|within|under|from|on|at|across|throughout|through")
const placeOf = placeAfter("in|inside|within|under|from|on|at|of")
const folder = new RegExp(
  `(?<![\\p{L}\\p{N}])(${quoteMark}|[^\\s,;:!?]+)\\s+(?:folder|directory|dir)(?![\\p{L}\\p{N}])`,
  "giu",
)

/** Whether a word can be a folder's name, and not one that holds the sentence together. */
export const isPlace = (name: string): boolean =>
  name !== "" && !nowhere.test(name) && !isGlob(name) && !/^\d+$/u.test(name) && !name.includes("\n")

/**
 * The folder that a request speaks of ("in src", "the docs folder"); undefined for the working directory. With `of`, also
 * "of src".
 */
export function dirIn(text: string, quotes: readonly Quote[], of = false): string | undefined {
  for (const regex of [of ? placeOf : place, folder]) {
    for (const match of text.matchAll(regex)) {
      const token = match[1] as string
      const name = unmask(bare(token) || token, quotes)
      if (isPlace(name)) return name
    }
  }
  return undefined
}

/** All the folders of "in src and in docs", "in src, lib and docs". */
export function dirsIn(text: string, quotes: readonly Quote[], first: string): string[] {
  const found = [first]
  const shown = tokensOf(text).find((token) => unmask(token, quotes) === first)
  const at = shown === undefined ? -1 : text.indexOf(shown)
  if (shown === undefined || at < 0) return found
  let rest = text.slice(at + shown.length)
  for (;;) {
    const next = further.exec(rest)
    const name = next && unmask(bare(next[1] as string), quotes)
    if (!next || !name || !isPlace(name)) return found
    if (!found.includes(name)) found.push(name)
    rest = rest.slice(next[0].length)
  }
}

const further =
  /^(?:\s+(?:folder|directory|dir))?(?:\s*,\s*(?:and\s+)?|\s+(?:and|&)\s+)(?:also\s+)?(?:(?:in|inside|within|under|from|of)\s+)?(?:the\s+)?([^\s,;:!?]+)(?=\s*(?:[,;.:!?]|(?:and|&|folder|directory|dir)(?=\s)|(?:folder|directory|dir)?$))/iu
