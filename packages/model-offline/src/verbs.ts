import { expressionsIn } from "./arithmetic.ts"
import { globOfKind, globsIn, isPathLike, pathsIn } from "./paths.ts"
import type { Quote } from "./spans.ts"
import { isTypoOf } from "./words.ts"

/** What a clause of a request asks for; `other` is left to the tools' own names and descriptions. */
export type Verb =
  | "list"
  | "read"
  | "search"
  | "find"
  | "write"
  | "append"
  | "manage"
  | "insert"
  | "edit"
  | "run"
  | "python"
  | "compute"
  | "count"
  | "time"
  | "repeat"
  | "stop"
  | "greet"
  | "thanks"
  | "about"
  | "help"
  | "explain"
  | "other"

const lexicon: Readonly<Record<string, Verb>> = Object.fromEntries(
  (
    [
      ["list", "list ls dir enumerate"],
      ["read", "read open view cat show print display head tail see"],
      ["search", "search grep rg look lookup"],
      ["find", "find locate glob"],
      ["write", "write save create make store note jot put record generate"],
      ["append", "append add"],
      ["manage", "delete remove rm move mv rename copy cp mkdir"],
      ["insert", "insert"],
      ["edit", "replace change edit substitute"],
      ["run", "run execute exec launch start"],
      ["python", "python python3"],
      ["compute", "compute calculate calc evaluate eval multiply divide subtract sum"],
      ["count", "count"],
      ["repeat", "repeat again redo"],
      ["stop", "stop cancel abort nevermind"],
      ["greet", "hi hello hey howdy greetings"],
      ["thanks", "thanks thank thx cheers great nice perfect bye goodbye"],
      ["help", "help"],
      [
        "explain",
        "explain summarize summarise summary translate describe analyze analyse review refactor improve rewrite fix debug",
      ],
    ] as const
  ).flatMap(([verb, words]) => words.split(" ").map((word) => [word, verb] as const)),
)
// what a slip of the fingers is compared with: only verbs that are commands
const typed = Object.keys(lexicon).filter((word) => !["greet", "thanks", "stop"].includes(lexicon[word] as string))

const leadIns = new RegExp(
  "^(?:(?:" +
    [
      "please|kindly|now|first(?:ly)?|(?:second|third|fourth|fifth)(?:ly)?(?!\\s+(?:one|file|line|entry|result))|next|then|finally|lastly|also|just|ok(?:ay)?|so|well|and|but|or|afterwards|after that|secondly|alright|right|sure|yes|yeah|quickly|maybe|again,",
      "(?:can|could|would|will) you(?: please)?|i(?:'d| would) like (?:you )?to|i(?:'d| would) like|i want to know|i(?:'d| would) like to know|do you know|find out|check(?= (?:if|whether)\\b)|(?:if|whether)(?= \\S+ (?:exists?|is there)\\b)|show me(?= (?:what|which|where|how)\\b)|(?:let me|i want to) see(?= (?:what|which|where|how)\\b)|i want (?:you )?to|i want|i need (?:you )?to|i need|you should|you must|we should|go (?:ahead )?and|try to|help me(?: to)?|let'?s|let us|let me|let me know|tell me|do",
      "(?:hi|hello|hey)(?=[ ,!]+\\p{L}+)",
    ].join("|") +
    ")(?![\\p{L}\\p{N}'’])[\\s,:!.]*)+",
  "iu",
)

const greeting =
  /^(?:hi|hello|hey|howdy|greetings|good (?:morning|afternoon|evening|day))(?:[ ,]+(?:there|\p{L}+))?[\s!.,]*$/iu

const questions: readonly (readonly [RegExp, Verb])[] = [
  [
    /^(?:who|what) (?:are|r) you\b|^what(?:'s| is) your (?:name|model)|^are you (?:an? |the )?(?:real |large |small )?(?:ai|bot|llm|language model|model|human|person|offline|gpt|chatgpt|claude|real)|^what (?:kind of )?model\b|^introduce yourself/iu,
    "about",
  ],
  [
    /^what (?:can|could|do) (?:you|i) (?:do|ask|say|offer)|^what (?:tools|commands|abilities|capabilities)|^(?:list|show)(?: me)? (?:your |the |all )*(?:tools|abilities|capabilities)|^how (?:do|can|should) (?:i|you|we) (?:use|work|talk)|^what are your (?:tools|abilities|capabilities)|^help(?: me)?[\s!.?]*$|^\/?\?$|^usage$|^your (?:tools|abilities)/iu,
    "help",
  ],
  [/^never ?mind|^forget it|^stop(?: it| that| now| here)?[\s!.]*$|^cancel(?: it| that)?[\s!.]*$/iu, "stop"],
  [
    /^(?:do |run |try )?(?:it|that|this) again|^(?:once )?again[\s!.]*$|^repeat(?: it| that| this)?[\s!.]*$|^one more time|^the same again/iu,
    "repeat",
  ],
  [
    /^(?:what(?:'s| is)? (?:the )?(?:current )?(?:local )?(?:time|date|day|datetime)(?: and (?:time|date))?\b(?!.*\b(?:complexity|zone of|limit|between)\b)|what (?:time|date|day|year|month) is it|(?:the )?current (?:date|time)|today'?s date)/iu,
    "time",
  ],
  [
    /^how (?:many|much) (?:files|folders|directories|entries|lines|words|characters|chars|bytes|times|occurrences|matches)\b|^(?:the )?number of (?:files|lines|words|characters|occurrences)/iu,
    "count",
  ],
  [
    /^(?:in )?(?:what|which) (?:\p{L}+ )?(?:files?|lines?|places?|scripts?|documents?)(?: here| there)? (?:contains?|mentions?|has|have|includes?|uses?|imports?|says?|refers?|speaks?|talks?|(?:do|does) (?:\p{L}+ )?(?:contain|mention|include|use|import|have))\b/iu,
    "search",
  ],
  [/^where (?:is|are|does|do|did|can i find)\b/iu, "search"],
  [/^(?:what|which) files?(?: are| is)? (?:named|called|matching|match|matches|end|ending|starting)\b/iu, "find"],
  [/^(?:is|are) there (?:an?y?|some) (?:file|files|folder)\b|^does .+ exist|^\S+ exists\b/iu, "find"],
  [/^what \S+ (?:says|contains|holds)\b/iu, "read"],
  [/^(?:make|create|add) (?:a |an |the )?(?:new |empty )?(?:folder|directory)\b/iu, "manage"],
  [
    /^(?:what|which)(?:'s|'re| is| are)? (?:the )?(?:(?:\p{L}+ ){0,2}(?:files|folders|directories|documents)|there|here|in (?:here|there|this (?:folder|directory)|the (?:current |working )?(?:folder|directory)))/iu,
    "list",
  ],
  [/^what (?:do (?:we|you|i) have|is there|have we got)(?: here| in\b)?/iu, "list"],
  [
    /^what does .+ (?:say|contain|hold|look like)|^(?:the )?contents? of\b|^what(?:'s| is| are) (?:the )?(?:contents? of|inside|in|written in)\b/iu,
    "read",
  ],
  [/^look (?:at|into|inside)\b|^take a look at\b|^have a look at\b/iu, "read"],
  [/^look (?:for|up)\b|^search\b/iu, "search"],
  [
    /^(?:take|make|write|leave|add) (?:down )?(?:a |me a |yourself a )?note\b|^remind me\b|^remember\b|^note (?:down|that)\b/iu,
    "write",
  ],
  [
    /^(?:run|execute|exec|evaluate|eval|try)\s+(?:(?:the|this|that|some|following|a|bit|of|in)\s+)*python\b(?!\d?\s+(?:-|\S+\.py))/iu,
    "python",
  ],
  [/^(?:in|with|using|use) python\b/iu, "python"],
  [/^\$\s/u, "run"],
  [/^(?:in|on) the (?:shell|terminal|command line)\b/iu, "run"],
  [
    /^(?:why|how come|how (?:does|do|is|are|should|would|could|can)|who|when|should|what do you think|tell me (?:a|about)|write (?:me )?(?:an? |some )?(?:poem|story|essay|joke|email|song|letter|haiku|code)|give me (?:an? )?(?:idea|summary|overview|opinion))\b/iu,
    "explain",
  ],
]

/** One clause, with its verb and what follows it. */
export interface Verbed {
  readonly verb: Verb
  /** The clause after its lead-in ("can you please"). */
  readonly text: string
  /** What follows the verb. */
  readonly rest: string
  /** False when the verb is only near one that is known. */
  readonly exact: boolean
}

/** The clause without "please", "can you", "and then", "Friday," and their like. */
export function withoutLeadIn(clause: string): string {
  const text = clause.trim().replace(leadIns, "")
  // a name that is spoken to: "Friday, list the files"
  const addressed = /^\p{Lu}\p{L}+,\s+(?=\p{Ll})/u.exec(text)
  return (addressed ? text.slice(addressed[0].length).replace(leadIns, "") : text).trim() || clause.trim()
}

const firstWord = /^([\p{L}][\p{L}\p{N}]*)(?![\p{L}\p{N}/\\.=(][\p{L}\p{N}])['’]?/u

/** The verb that a word is, if it is one; with a slip of the fingers if `typos`. */
export function lookUp(word: string, typos: boolean): Verb | undefined {
  const lower = word.toLowerCase()
  if (Object.hasOwn(lexicon, lower)) return lexicon[lower]
  const near = typos ? typed.find((known) => isTypoOf(lower, known)) : undefined
  return near === undefined ? undefined : lexicon[near]
}

/** Verbs that mean something else with another object: "show the files" lists, "add 2 and 3" computes. */
function settle(verb: Verb, word: string, rest: string, quotes: readonly Quote[]): Verb {
  const paths = pathsIn(rest, quotes)
  switch (verb) {
    case "read":
      if (
        /^(?:\p{L}+ ){0,4}(?:files|folders|directories|folder|directory|entries)\b(?=\s*(?:$|[.?!]|(?:in|of|under|inside|from|at|here|there)\b))/iu.test(
          rest,
        )
      ) {
        return /\b(?:them|those|each)\b/iu.test(rest) || !/show|print|display|see|view|open/iu.test(word)
          ? "read"
          : "list"
      }
      if (paths.length === 0 && /^(?:me )?(?:the )?(?:result of )/iu.test(rest) && expressionsIn(rest).length > 0)
        return "compute"
      return verb
    case "find":
      if (globsIn(rest, quotes).length > 0 || globOfKind(rest)) return "find"
      if (
        /\b(?:files?|folders?|director(?:y|ies))\s+(?:named|called|matching|with (?:the )?(?:name|extension)|ending|starting)\b/iu.test(
          rest,
        )
      )
        return "find"
      if (/^(?:me )?(?:all |the |every |any )*(?:files?|folders?)\s*(?:$|in|under|here|of)/iu.test(rest)) return "find"
      return /^(?:the |a |my )?(?:files? )?\S+[.!?]?(?:\s+(?:file|folder))?(?:\s+(?:in|under|inside)\b.*)?$/iu.test(
        rest,
      ) &&
        paths.length > 0 &&
        isPathLike(paths[0] as string) &&
        rest
          .trimStart()
          .replace(/^(?:the|a|my|file|files) /iu, "")
          .startsWith(paths[0] as string)
        ? "find"
        : "search"
    case "append":
      if (expressionsIn(`${word} ${rest}`).length > 0 && paths.length === 0) return "compute"
      return /\b(?:to|in|into|at|onto)\b/iu.test(rest) || word !== "add" ? "append" : "other"
    case "compute":
      return expressionsIn(`${word} ${rest}`).length > 0 ||
        /\b(?:it|that|this|result|answer|sum|product)\b.*\d/iu.test(rest)
        ? "compute"
        : "other"
    case "write":
      if (["write", "save", "note", "jot"].includes(word)) return "write"
      return paths.length > 0 ||
        /\b(?:files?|notes?)\b/iu.test(rest) ||
        /^(?:it|that|this|them|the (?:result|answer|output|list))\b.*\b(?:in|into|to|as)\b/iu.test(rest)
        ? "write"
        : "other"
    case "run":
      return word === "start" && !/^(?:the )?(?:command|script|server|program)\b/iu.test(rest) ? "other" : "run"
    default:
      return verb
  }
}

/** Finds the verb of one clause of masked text. */
export function verbOf(clause: string, quotes: readonly Quote[], typos = true): Verbed {
  if (greeting.test(clause.trim())) return { verb: "greet", text: clause.trim(), rest: "", exact: true }
  const text = withoutLeadIn(clause)
  for (const [shape, verb] of questions) {
    const match = shape.exec(text)
    if (!match) continue
    if (verb === "read" && pathsIn(text, quotes).length === 0) {
      // "what's in src": a folder, unless it looks like a file
      if (/^what(?:'s| is| are)/iu.test(text) && expressionsIn(text).length === 0)
        return { verb: "list", text, rest: text, exact: true }
    }
    const rest = text.slice(match[0].length).trim()
    // "what does a.txt say": the object stands inside the phrase
    const inside = pathsIn(rest, quotes).length === 0 && pathsIn(text, quotes).length > 0
    return { verb, text, rest: inside ? text : rest, exact: true }
  }
  const word = firstWord.exec(text)?.[1] ?? ""
  const rest = text.slice(word.length).replace(/^\s*:?\s*/u, "")
  const exact = lookUp(word, false)
  const found = exact ?? (typos ? lookUp(word, true) : undefined)
  if (found) {
    const verb = settle(found, word.toLowerCase(), rest, quotes)
    if (verb !== "other") return { verb, text, rest, exact: exact !== undefined }
  }
  if (
    expressionsIn(text).length > 0 &&
    pathsIn(text, quotes).length === 0 &&
    /^(?:what|how much|[\d(.√-]|\p{L}+\(|the |and )/iu.test(text)
  ) {
    return { verb: "compute", text, rest: text, exact: true }
  }
  return { verb: "other", text, rest: text, exact: false }
}
