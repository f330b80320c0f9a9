import { textOf } from "@agentscope-ts/message"
import type { Ability } from "./abilities.ts"
import { expressionsIn } from "./arithmetic.ts"
import { type Choice, choose } from "./choose.ts"
import type { Clause } from "./clauses.ts"
import { countIn } from "./count.ts"
import { type Context, isFile, remember } from "./memory.ts"
import { globOfKind, globsIn, pathsIn } from "./paths.ts"
import type { Call, Report } from "./report.ts"
import { type Slots, slotsOf } from "./slots.ts"
import { mask, restore, unmask } from "./spans.ts"
import type { Done } from "./turn.ts"
import { type Verb, verbOf } from "./verbs.ts"
import { isStopWord, wordsOf } from "./words.ts"
import { targetOf } from "./write-content.ts"

/** The most calls for one request. */
const maxCalls = 20
/** The most files that "each of them" reads. */
const maxEach = 10

/** Does the clauses of a request one by one: yields each call, takes its result, and notes what became of it. */
export class Steps {
  readonly reports: Report[] = []
  readonly #abilities: readonly Ability[]
  readonly #context: Context
  #calls = 0
  /** Set once somebody said no: what is left of the request is not done. */
  refused = false

  constructor(abilities: readonly Ability[], context: Context) {
    this.#abilities = abilities
    this.#context = context
  }

  get full(): boolean {
    return this.#calls >= maxCalls
  }

  *#call(choice: Choice, verb: Verb, slots: Slots, subject?: string, quiet = false): Generator<Call, Done, Done> {
    this.#calls++
    const done = yield { tool: choice.ability.tool.name, input: choice.input }
    const listing: readonly (Verb | undefined)[] = ["list", "find", "search"]
    remember(
      this.#context,
      done,
      choice.ability.verb === undefined ? undefined : listing.includes(choice.ability.verb) || listing.includes(verb),
    )
    this.reports.push({
      kind: "called",
      verb,
      done,
      slots,
      ...(subject !== undefined && { subject }),
      ...(quiet && { quiet }),
    })
    if (done.result?.state === "denied") this.refused = true
    return done
  }

  *#try(
    verb: Verb,
    clause: Clause,
    slots: Slots,
    values: { path?: string; text?: string; expression?: string; line?: number; quiet?: boolean } = {},
  ): Generator<Call, boolean, Done> {
    if (this.refused || this.full) return this.#skip(clause)
    const choice = choose({ verb, clause, slots, ...values }, this.#abilities)
    const words = restore(clause.text, clause.quotes)
    if (!choice) {
      const question = /^(?:what|who|why|how|when|is|are|does|do|can|should|could|would)\b/iu.test(clause.text)
      const why =
        verb === "explain" || (verb === "other" && question)
          ? "needs_model"
          : verb === "other"
            ? "not_understood"
            : "no_tool"
      this.reports.push({ kind: "cannot", clause: words, why })
      return false
    }
    if (choice.missing.length > 0) {
      const { tool, verb: known } = choice.ability
      this.reports.push({
        kind: "missing",
        tool: tool.name,
        names: choice.missing,
        clause: words,
        ...(known && { verb: known }),
      })
      return false
    }
    const done = yield* this.#call(choice, verb, slots, values.expression ?? values.path ?? slots.dir, values.quiet)
    return done.result?.state === "success"
  }

  #skip(clause: Clause): false {
    this.reports.push({
      kind: "skipped",
      clause: restore(clause.text, clause.quotes),
      why: this.refused ? "refused" : "limit",
    })
    return false
  }

  /** The files that a clause speaks of: named, or pointed back to. */
  #files(slots: Slots): readonly string[] {
    const { names = [], lastPath } = this.#context
    if (slots.paths.length > 0) return slots.paths
    const { reference } = slots
    if (reference?.kind === "nth") {
      const name = names.at(reference.n > 0 ? reference.n - 1 : reference.n)
      return name === undefined ? [] : [name]
    }
    if (reference?.kind === "each") return names.filter(isFile).slice(0, maxEach)
    const files = names.filter(isFile)
    if (reference && lastPath === undefined && files.length === 1) return files
    return reference && lastPath !== undefined ? [lastPath] : []
  }

  *clause(clause: Clause): Generator<Call, void, Done> {
    if (this.refused || this.full) return void this.#skip(clause)
    const slots = slotsOf(clause)
    switch (clause.verb) {
      case "greet":
      case "thanks":
      case "about":
      case "help":
        this.reports.push({ kind: "talk", verb: clause.verb })
        return
      case "repeat":
        return yield* this.#again(clause, slots)
      case "read":
        return yield* this.#read(clause, slots)
      case "count":
        return yield* this.#count(clause, slots)
      case "compute":
        for (const expression of this.#expressions(clause, slots))
          yield* this.#try("compute", clause, slots, { expression })
        return
      case "write":
      case "append":
      case "insert":
        return yield* this.#write(clause, slots)
      case "edit": {
        const path = this.#files(slots).at(-1) // "replace a/b with c in d.txt"
        const readFirst =
          path !== undefined &&
          slots.replace &&
          this.#context.textOf !== path &&
          this.#abilities.some(({ verb }) => verb === "read") &&
          this.#abilities.some(({ verb }) => verb === "edit")
        if (readFirst && !(yield* this.#try("read", clause, { ...slots, paths: [path] }, { path, quiet: true }))) return
        yield* this.#try("edit", clause, slots, path === undefined ? {} : { path })
        return
      }
      case "list": {
        const verb =
          slots.glob && !this.#abilities.some((ability) => ability.verb === "list" && ability.roleNames.has("pattern"))
            ? "find"
            : "list"
        for (const one of eachDir(slots)) yield* this.#try(verb, clause, one)
        return
      }
      case "other":
        return yield* this.#other(clause, slots)
      default:
        for (const one of eachDir(slots)) yield* this.#try(clause.verb, clause, one)
    }
  }

  /** The expressions of a clause; "it" and "the result" are the number that came before. */
  #expressions(clause: Clause, slots: Slots): readonly string[] {
    const value = this.#context.lastText?.trim() ?? ""
    if (slots.expressions.length > 0 || !/^-?\d[\d.,]*$/u.test(value)) return slots.expressions
    return expressionsIn(
      unmask(clause.text, clause.quotes).replace(
        /\b(?:it|that|this|the (?:result|answer|sum|product|number))\b/iu,
        value,
      ),
    )
  }

  *#again(clause: Clause, slots: Slots): Generator<Call, void, Done> {
    const use = this.#context.last?.use
    const ability = use && this.#abilities.find(({ tool }) => tool.name === use.name)
    if (use && ability) yield* this.#call({ ability, input: use.input, missing: [] }, ability.verb ?? "other", slots)
    else this.reports.push({ kind: "cannot", clause: restore(clause.text, clause.quotes), why: "not_understood" })
  }

  *#read(clause: Clause, slots: Slots): Generator<Call, void, Done> {
    const files = [...this.#files(slots)]
    // "read notes": one bare word that no tool of its own claims
    const word = /^(?:the |my |file )*(\S+?)[.!?]?$/iu.exec(clause.rest)?.[1]
    const bareWord =
      files.length === 0 && !slots.reference && word && !isStopWord(word) ? [unmask(word, clause.quotes)] : []
    const paths = files.length > 0 ? files : bareWord
    if (paths.length === 0 && slots.lines && this.#context.lastPath !== undefined) paths.push(this.#context.lastPath)
    if (paths.length === 0) {
      const glob = globsIn(clause.rest, clause.quotes)[0] ?? globOfKind(clause.rest)
      if (glob === undefined || !(yield* this.#try("find", clause, { ...slots, glob }, { quiet: true }))) {
        return glob === undefined ? void (yield* this.#try("read", clause, slots)) : undefined
      }
      paths.push(...(this.#context.names ?? []).filter(isFile).slice(0, maxEach))
    }
    for (const path of paths) {
      if (!(yield* this.#try("read", clause, slots, { path }))) yield* this.#readByStem(clause, slots, path)
    }
  }

  /** "read the README" where there is a README.md: looks for it once the bare name was not found. */
  *#readByStem(clause: Clause, slots: Slots, path: string): Generator<Call, void, Done> {
    const failed = this.reports.at(-1)
    if (failed?.kind !== "called" || failed.done.result?.state !== "error" || /[./\\]/u.test(path)) return
    // a file that is there and was refused has no other name
    if (!/not exist|not found|no such|ENOENT|cannot find/iu.test(textOf(failed.done.result))) return
    if (!this.#abilities.some(({ verb }) => verb === "find")) return
    const before = this.reports.length
    const found = yield* this.#try("find", clause, { ...slots, paths: [], glob: `**/${path}.*` }, { quiet: true })
    const name = found ? this.#context.names?.find(isFile) : undefined
    if (name === undefined) return void this.reports.splice(before)
    this.reports.splice(before - 1, 1)
    yield* this.#try("read", clause, slots, { path: name })
  }

  *#count(clause: Clause, slots: Slots): Generator<Call, void, Done> {
    const what = slots.count
    if (what === undefined) return yield* this.#other({ ...clause, verb: "other" }, slots)
    if (what === "files") {
      const pointed =
        slots.reference !== undefined ||
        (this.#context.names !== undefined && slots.dir === undefined && this.reports.length > 0)
      for (const one of eachDir(slots)) {
        if (!pointed) {
          const verb = one.glob ? "find" : "list"
          if (!(yield* this.#try(verb, { ...clause, verb: "list" }, one, { quiet: true }))) continue
        }
        const { names, total, failed } = this.#context
        if (names === undefined && failed) {
          this.reports.push({ kind: "cannot", clause: restore(clause.text, clause.quotes), why: "failed" })
          return
        }
        const { count = 0, atLeast = false } = total ?? {}
        this.reports.push({ kind: "counted", what, of: one.dir ?? "", count, ...(atLeast && { atLeast }) })
      }
      return
    }
    const named = slots.paths.length > 0 || slots.reference?.kind === "nth" || slots.reference?.kind === "each"
    // of a text that was read in part only, the whole is counted
    const again = this.#context.partial ? this.#context.textOf : undefined
    for (const path of named ? this.#files(slots) : [again]) {
      const known = path === undefined || (this.#context.textOf === path && !this.#context.partial)
      const whole: Slots = { paths: slots.paths, expressions: [] }
      if (!known && !(yield* this.#try("read", { ...clause, verb: "read" }, whole, { path, quiet: true }))) continue
      const text = this.#context.lastText
      if (text === undefined && this.#context.failed)
        this.reports.push({ kind: "cannot", clause: restore(clause.text, clause.quotes), why: "failed" })
      else if (text === undefined)
        this.reports.push({ kind: "missing", tool: "", names: ["file"], clause: restore(clause.text, clause.quotes) })
      else
        this.reports.push({
          kind: "counted",
          what,
          of: path ?? this.#context.textOf ?? "",
          count: countIn(text, what),
          ...(this.#context.partial && { partial: true }),
        })
    }
  }

  *#write(clause: Clause, slots: Slots): Generator<Call, void, Done> {
    const { content } = slots
    const words = restore(clause.text, clause.quotes)
    if (content?.kind === "invented")
      return void this.reports.push({ kind: "cannot", clause: words, why: "needs_model" })
    if (content?.kind === "first") {
      const masked = mask(content.request)
      const first = { ...verbOf(masked.text, masked.quotes), quotes: masked.quotes }
      const before = this.reports.length
      yield* this.clause(first)
      const got = this.reports.slice(before).at(-1)
      if (got?.kind !== "called" || got.done.result?.state !== "success") return
    }
    if (content?.kind !== "text" && this.#context.partial) {
      return void this.reports.push({ kind: "cannot", clause: words, why: "partial" })
    }
    const text =
      content?.kind === "text"
        ? content.text
        : content || this.#context.lastText !== undefined
          ? this.#context.lastText
          : undefined
    const named =
      targetOf(clause, slots.paths) ??
      (slots.reference?.kind === "it" && clause.verb !== "write" ? this.#context.lastPath : undefined)
    const path = named ?? (text === undefined ? undefined : noteName(text))
    if (clause.verb !== "write" && path !== undefined && text !== undefined && this.#insertsOnly(clause.verb)) {
      return yield* this.#insert(clause, slots, path, text)
    }
    yield* this.#try(clause.verb, clause, slots, {
      ...(path !== undefined && { path }),
      ...(text !== undefined && { text }),
    })
  }

  #insertsOnly(verb: Verb): boolean {
    const verbs = new Set(this.#abilities.map((ability) => ability.verb))
    return verbs.has("insert") && (verb === "insert" || (!verbs.has("append") && verbs.has("read")))
  }

  /** Inserts at the line that the clause names; without one at the end, which a look at the file tells. */
  *#insert(clause: Clause, slots: Slots, path: string, text: string): Generator<Call, void, Done> {
    let line = slots.lines?.from
    if (line === undefined) {
      if (!(yield* this.#try("read", { ...clause, verb: "read" }, { ...slots, paths: [path] }, { path, quiet: true })))
        return
      if (this.#context.partial)
        return void this.reports.push({ kind: "cannot", clause: restore(clause.text, clause.quotes), why: "partial" })
      line = countIn(this.#context.lastText ?? "", "lines") + 1
    }
    yield* this.#try("insert", clause, slots, { path, text, line })
  }

  *#other(clause: Clause, slots: Slots): Generator<Call, void, Done> {
    const text = clause.text.replace(/[.!?]+$/u, "")
    const paths = pathsIn(text, clause.quotes)
    const onlyPath = paths.length === 1 && unmask(text, clause.quotes).trim() === paths[0]
    if (onlyPath || (slots.reference?.kind === "nth" && this.#context.names))
      return yield* this.#read({ ...clause, verb: "read" }, slots)
    yield* this.#try("other", clause, slots)
  }
}

/** The same for each folder that a clause names. */
const eachDir = ({ dirs, ...slots }: Slots): readonly Slots[] => dirs?.map((dir) => ({ ...slots, dir })) ?? [slots]

/** A name for a note that the request gives no name to, so that two notes are two files. */
const noteName = (text: string): string => `note-${wordsOf(text).slice(0, 4).join("-") || "empty"}.txt`
