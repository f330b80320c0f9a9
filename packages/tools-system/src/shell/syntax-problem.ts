import type { SyntaxNode, Word } from "unbash"
import { valueOf } from "./words.ts"

/** Syntax that a POSIX shell other than bash reads as something else. */
const onlyBash = new Set([
  "AnsiCQuoted",
  "LocaleString",
  "ProcessSubstitution",
  "BraceExpansion",
  "ExtendedGlob",
  "TestCommand",
  "ArithmeticCommand",
  "ArithmeticFor",
  "Select",
  "Coproc",
  "HereString",
  "FileDescriptorVariable",
  "ArrayValue",
])

const isNumber = (text: string | undefined): boolean => text !== undefined && /^[+-]?\d+$/.test(text)
const isNumeric = (word: Word | undefined): boolean => word === undefined || isNumber(valueOf(word))

const arithmeticTest = new Set(["-eq", "-ne", "-lt", "-le", "-gt", "-ge"])

/** Starts of what runs something inside a word. */
const substitution = /`|[$<>]\(/
const inOtherWords = "it is written in a way that shells read differently"

const hiddenArithmetic = "it computes with values that may contain commands"
const otherShell = "the shell that will run it reads this syntax differently"

/**
 * Why this node makes a command line impossible to judge; `undefined` for most. Beside errors of syntax these are the places
 * where bash runs commands out of *values*: arithmetic over variables (an index `a[$(rm x)]` in a value is executed),
 * indirect names, prompts.
 */
export function syntaxProblem(node: SyntaxNode, bash: boolean): string | undefined {
  if (!bash && isOnlyBash(node)) return otherShell
  switch (node.type) {
    case "Script":
      return node.errors === undefined || node.errors.length === 0
        ? undefined
        : `it cannot be parsed: ${node.errors[0]?.message ?? ""}`
    case "CommandExpansion":
    case "ProcessSubstitution":
    case "ArithmeticCommandExpansion":
      // `${ x; }` is a command only for the newest bash, and its end may be missing
      if (node.text.startsWith("${")) return inOtherWords
      return node.script === undefined ? "a substitution cannot be parsed" : undefined
    case "ArithmeticExpansion":
    case "ArithmeticCommand":
      return node.expression === undefined ? hiddenArithmetic : undefined
    case "ArithmeticWord":
      return isNumber(node.value) ? undefined : hiddenArithmetic
    case "ParameterExpansion": {
      const { prefix, index, operation, text } = node
      // in a here-document and in double quotes a single quote hides nothing, outside of them it does
      if (text.includes("'") && substitution.test(text)) return inOtherWords
      if (prefix === "!") return "it uses a variable whose name is only known when it runs"
      // a slash inside the substitution may be taken for the one that divides
      if (operation?.type === "Replace" && substitution.test(text)) return "it replaces by what a command prints"
      return index === undefined || isNumeric(index) || index.text === "@" || index.text === "*"
        ? undefined
        : hiddenArithmetic
    }
    case "AnsiCQuoted":
      // bash knows `\x{2f}`, others read its letters
      return node.text.includes(String.raw`\x{`) ? inOtherWords : undefined
    case "ExtendedGlob":
      return inOtherWords // only with `extglob`, else the bracket is an error
    case "Literal":
      return unclosed.test(node.text) ? inOtherWords : undefined
    case "Word":
      return wordProblem(node)
    case "HereDoc":
      return node.closing !== undefined && plainEnd.test(node.delimiter?.text ?? "") ? undefined : inOtherWords
    case "Slice":
      return isNumeric(node.offset) && isNumeric(node.length) ? undefined : hiddenArithmetic
    case "Transform":
    case "Unknown":
      return "it expands a variable in a way that may run commands"
    case "Assignment":
      return isNumeric(node.index) ? undefined : hiddenArithmetic
    case "TestUnary":
      return node.operator === "-v" || node.operator === "-R" ? hiddenArithmetic : undefined
    case "TestBinary":
      return arithmeticTest.has(node.operator) && !(isNumeric(node.left) && isNumeric(node.right))
        ? hiddenArithmetic
        : undefined
    default:
      return undefined
  }
}

/** The word that ends a here-document: plain, or quoted as a whole. */
const plainEnd = /^(?:\\?[\w.!%@:+-]+|'[^'\n]+'|"[^"$`\\\n]+")$/

/** The start of an expansion in what was taken for plain text: it has no end. */
const unclosed = /(?<!\\)(?:\\\\)*(?:\$[[({]|`)/

/** Blanks that are none for a shell, and characters that show nothing; beside letters of a command. */
const unseen = (() => {
  const odd = String.raw`[\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u180e\u2000-\u200f\u202f\u205f-\u2064\u3000\u3164\ufeff\uffa0]`
  return new RegExp(`[!-~]${odd}|${odd}[!-~]`)
})()

/** What stands in a word outside of quotes and looks like something else. */
function wordProblem(word: Word): string | undefined {
  const texts = word.parts?.flatMap((part) => (part.type === "Literal" ? [part.text] : [])) ?? [word.text]
  if (word.parts === undefined && unclosed.test(word.text)) return inOtherWords
  return texts.some((text) => unseen.test(text)) ? "it has characters between its letters that are not seen" : undefined
}

function isOnlyBash(node: SyntaxNode): boolean {
  if (onlyBash.has(node.type)) return true
  // after the word `function`
  if (node.type === "Function") return node.name.pos !== node.pos
  if (node.type === "Pipeline") return node.operators.includes("|&")
  if (node.type === "Redirect")
    return node.operator.startsWith("&>") || (node.operator === ">&" && !/^(?:\d+|-)$/.test(node.target?.text ?? ""))
  if (node.type === "Assignment") return node.append === true || node.index !== undefined
  return node.type === "CommandExpansion" && node.text.startsWith("${")
}
