import type { Ability } from "./abilities.ts"
import type { Verb } from "./verbs.ts"

/** One sentence that says what answers here. */
export const identity =
  "I am the offline model: not a language model but a small set of rules that match your words with the tools I am given."

const phrases: readonly (readonly [Verb, string])[] = [
  ["list", "list files: list the files in src"],
  ["find", "find files by name: find all markdown files"],
  ["read", "read files: read the first 10 lines of README.md"],
  ["search", "search in files: search for TODO in src"],
  ["write", "write files: write a note that says hello to note.txt"],
  ["append", "add to files: append hello to note.txt"],
  ["edit", "change files: replace hello with goodbye in note.txt"],
  ["run", "run commands: run `git status`"],
  ["python", "run Python: run python `print(1)`"],
  ["compute", "compute: what is 15% of 80?"],
  ["time", "tell the time: what time is it?"],
]

/** A request that shows how to ask for a known verb. */
export const example = (verb: Verb): string | undefined =>
  phrases.find(([known]) => known === verb)?.[1].replace(/^[^:]*: /u, "")

function lines(abilities: readonly Ability[]): string[] {
  const known = phrases.flatMap(([verb, phrase]) => {
    const stands: Verb | undefined = verb === "list" ? "find" : undefined
    const own = abilities.filter((ability) => ability.verb === verb)
    const tools = (
      own.length > 0 ? own : abilities.filter((ability) => stands !== undefined && ability.verb === stands)
    ).map(({ tool }) => tool.name)
    return tools.length === 0 ? [] : [`- ${phrase} (${tools.join(", ")})`]
  })
  const others = abilities
    .filter(({ verb }) => verb === undefined)
    .map(
      ({ tool }) =>
        `- ${tool.name}: ${/^[^\n]*?(?:[.!?](?=\s|$)|$)/u.exec(tool.description ?? "")?.[0] || "no description"}`,
    )
  return [...known, ...others]
}

/** What the model says about itself. */
export function about(abilities: readonly Ability[], setup: string): string {
  const tools =
    abilities.length === 0
      ? "I was given no tools, so there is nothing that I can do here."
      : `I was given ${abilities.length} tools; ask "what can you do?".`
  return `${identity} What I report from a tool is real; I make nothing up. ${tools}\n\nFor a language model, set a key and start again:\n\n${setup}`
}

/** What can be asked for, tool by tool. */
export function helpFor(abilities: readonly Ability[], setup: string): string {
  const list = lines(abilities)
  const able =
    list.length === 0
      ? "I was given no tools, so there is nothing that I can do here."
      : `With them I can:\n\n${list.join("\n")}\n\nOne request may ask for several things, one after the other: "list the files, then read README.md and count its lines".`
  return `${identity} ${able}\n\nFor anything else, set a key and start again:\n\n${setup}`
}
