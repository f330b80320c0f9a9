import { type Command, forEachChild, parse, type Redirection, type SyntaxNode } from "unbash"
import type { CommandLine, CommandPart, ReadOptions } from "./command-line.ts"
import { shownVariables } from "./read-only.ts"
import { hasGap } from "./script-gaps.ts"
import { syntaxProblem } from "./syntax-problem.ts"
import { isMover, unwrap } from "./wrappers.ts"
import { type Argument, argumentOf, textOfWords, valueOf } from "./words.ts"

const longest = 64 * 1024
const mostParts = 500
const deepest = 8
const deepestSyntax = 300
const mostWrappers = 30
const mostFunctions = 100
const mostInside = 1000

/** Where a piece of syntax stands. */
interface Place {
  readonly bash: boolean
  readonly hidden: boolean
  /** The text that positions count in. */
  readonly text: string
  readonly note: (why: string) => void
}

// no effect on what runs, whoever gets them
const harmlessVariable =
  /^(?:CI|NODE_ENV|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CLICOLOR(?:_FORCE)?)$/
const evaluatedVariable = /^(?:BASH_ENV|ENV|PROMPT_COMMAND|PS[0-4])$/
const loops = new Set(["For", "While", "ArithmeticFor", "Select"])
const harmlessTarget = /^\/dev\/(?:null|stdout|stderr|tty)$/

/** Reads a command line and tells everything that it does; nothing is run. */
export function readCommand(source: string, options: ReadOptions = { bash: true }): CommandLine {
  const reader = new CommandReader()
  reader.script(source, options.bash, false)
  reader.finish()
  const { parts, obscure, movesAway, tellsValues } = reader
  return { source, parts, obscure, movesAway, tellsValues }
}

/** Collects the parts of a command line, and of the command lines inside it. */
export class CommandReader {
  readonly parts: CommandPart[] = []
  obscure: string | undefined
  movesAway = false
  tellsValues = false
  /** Whether it runs a program by a path from the working folder. */
  #runsHere = false
  #depth = 0
  #syntaxDepth = 0
  #wrappers = 0
  /** How many loops, and which functions, the place is in that is being read. */
  #loops = 0
  readonly #enclosing: string[] = []
  /** The functions of the line, with the names that each calls. */
  readonly #functions = new Map<string, Set<string>>()

  /** Notes why the line cannot be judged. */
  cannotTell(why: string): void {
    this.obscure ??= why
  }

  /** Reads shell source. Of what is `hidden`, only the parts count: it may be no command at all. */
  script(source: string, bash: boolean, hidden: boolean): void {
    const note = (why: string): void => {
      if (!hidden) this.cannotTell(why)
    }
    // what it would join to is not there
    if (/(?<!\\)(?:\\\\)*\\$/.test(source)) note("it ends in a backslash")
    const inside = source.match(/\$[({]|`|[<>]\(/g)?.length ?? 0
    if (source.length > longest || this.#depth >= deepest || inside > mostInside)
      return note("it is too long or too deep")
    // bash takes these for parts of words, other readers for blanks
    // oxlint-disable-next-line no-control-regex
    if (/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]|\p{Surrogate}/u.test(source))
      return note("it contains control characters")
    this.#depth++
    this.#visit(parse(source), { bash, hidden, text: source, note })
    this.#depth--
  }

  /**
   * Notes what only all of the line shows. Functions that call themselves: each call may start more, without end, whatever
   * harmless thing they do. Programs by a relative path, in a line that changes the folder it starts from.
   */
  finish(): void {
    if (this.movesAway && this.#runsHere) this.cannotTell("it changes the folder and runs a program by a relative path")
    if (this.#functions.size > mostFunctions) return this.cannotTell("it has too many parts")
    for (const [name, direct] of this.#functions) {
      const called = new Set(direct)
      // a set gives what is added while it is walked, too
      for (const each of called) for (const further of this.#functions.get(each) ?? []) called.add(further)
      if (called.has(name)) this.cannotTell(`the function ${name} calls itself`)
    }
  }

  #visit(node: SyntaxNode, place: Place): void {
    const { bash, hidden, note } = place
    if (this.#syntaxDepth >= deepestSyntax) return note("it is too long or too deep")
    if (this.parts.length >= mostParts) return
    const text = node.type === "Script" ? (node.source ?? place.text) : place.text
    const problem = hasGap(node, text) ? "it cannot be parsed" : syntaxProblem(node, bash)
    if (problem !== undefined) note(problem)
    if (node.type === "Command") this.#command(node, bash, hidden)
    else if (node.type === "For" || node.type === "Select") this.sets(node.name.text, `${node.name.text}=…`, hidden)
    else if (node.type === "Coproc" && node.name !== undefined) this.sets(node.name.text, `${node.name.text}=…`, hidden)
    else if (node.type === "Default" && node.operator.endsWith("=")) note("it may set a variable in passing")
    if (node.type === "Redirect" || node.type === "HereString" || node.type === "HereDoc") {
      this.#redirection(node, hidden, note)
    } else if (this.#loops > 0 && (node.type === "Coproc" || (node.type === "Statement" && node.background === true))) {
      note("a loop may start any number of processes")
    }
    const loop = loops.has(node.type) ? 1 : 0
    const name = node.type === "Function" ? node.name.value : undefined
    this.#loops += loop
    if (name !== undefined) {
      this.#enclosing.push(name)
      if (!this.#functions.has(name)) this.#functions.set(name, new Set())
    }
    this.#syntaxDepth++
    forEachChild(node, (child) => this.#visit(child, { ...place, text }))
    this.#syntaxDepth--
    this.#loops -= loop
    if (name !== undefined) this.#enclosing.pop()
  }

  #command(node: Command, bash: boolean, hidden: boolean): void {
    const words = [...(node.name ? [node.name] : []), ...node.args].map(argumentOf)
    for (const item of node.prefix) {
      if (item.type !== "Assignment") continue
      const bare = words.length === 0
      const value = item.value.type === "Word" ? valueOf(item.value) : undefined
      if (bare) this.sets(item.name, item.text, hidden, value)
      else this.assignment(item.name, value, item.text, hidden)
    }
    if (words.length > 0) this.command(words, bash, hidden)
  }

  /** Adds a command, or what it is a wrapper for. */
  command(words: readonly Argument[], bash: boolean, hidden: boolean): void {
    const name = words[0]?.value
    if (name === undefined || name === "") {
      if (!hidden) this.cannotTell("the name of a command is only known when it runs")
      return
    }
    if (isMover(name)) this.movesAway = true
    if (name.includes("/") && !name.startsWith("/") && !hidden) this.#runsHere = true
    for (const around of this.#enclosing) this.#functions.get(around)?.add(name)
    if (this.#wrappers >= mostWrappers) return this.cannotTell("it is too long or too deep")
    this.#wrappers++
    const own = unwrap(words, { reader: this, bash, hidden })
    this.#wrappers--
    if (own !== undefined) {
      this.add({ kind: "command", words, text: textOfWords(words), hidden, ...(own.prefixWords !== undefined && own) })
    }
  }

  /** Adds a variable that the shell sets, unless it is the shell's alone and nothing but an expansion sees it. */
  sets(name: string, text: string, hidden: boolean, value?: string): void {
    const isOwn = /^[a-z_][a-z0-9_]*$/.test(name) && !(name in process.env)
    if (isOwn && !/^(?:histchars|auto_resume)$|^npm_config_|_proxy$/.test(name)) return
    this.assignment(name, value, text, hidden)
  }

  /** Adds a variable that a command gets. */
  assignment(name: string, value: string | undefined, text: string, hidden: boolean): void {
    // a path would be one to files that they are read from
    if (harmlessVariable.test(name) && !/^[/:]|\.\./.test(value ?? "")) return
    if (evaluatedVariable.test(name) && !hidden) this.cannotTell(`the shell runs what is in ${name}`)
    const shown = value === undefined ? text : `${name}=${value}`
    this.add({
      kind: "assignment",
      words: [{ text: shown, value: value === undefined ? undefined : shown }],
      text: shown,
      hidden,
    })
  }

  add(part: CommandPart): void {
    this.parts.push(part)
    if (this.parts.length >= mostParts) this.cannotTell("it has too many parts")
  }

  #redirection(node: Redirection, hidden: boolean, note: (why: string) => void): void {
    if (node.type !== "Redirect") {
      // text inside the command; what it expands is visited like any word
      const text = node.type === "HereDoc" ? (node.delimiter?.quoted === true ? "" : node.body.text) : node.target?.text
      this.tellsValues ||= /\$[^\s()'"]/.test(text?.replaceAll(shownVariables, "") ?? "")
      return
    }
    const { operator, target, descriptor } = node
    if (descriptor?.type === "FileDescriptorVariable") {
      if (descriptor.name.includes("[")) note("it names a variable that is only known when it runs")
      this.sets(descriptor.name, `${descriptor.name}=…`, hidden)
    }
    if (target === undefined) return note("a redirection has no target")
    const word = argumentOf(target)
    const copies = operator === ">&" || operator === "<&"
    if (copies && word.value !== undefined && /^(?:\d+-?|-)$/.test(word.value)) return
    if (operator === "<&") return note("a redirection reads what is only known when it runs")
    const kind = operator === "<" ? "input" : "output"
    if (
      word.value !== undefined &&
      (harmlessTarget.test(word.value) || (kind === "input" && word.value === "/dev/stdin"))
    )
      return
    this.add({ kind, words: [word], text: `${kind === "input" ? "<" : ">"} ${word.text}`, hidden })
  }
}
