const wordNumbers: Readonly<Record<string, string>> = {
  zero: "0",
  one: "1",
  two: "2",
  three: "3",
  four: "4",
  five: "5",
  six: "6",
  seven: "7",
  eight: "8",
  nine: "9",
  ten: "10",
  eleven: "11",
  twelve: "12",
  twenty: "20",
  thirty: "30",
  forty: "40",
  fifty: "50",
  hundred: "100",
  thousand: "1000",
  dozen: "12",
}

const number = "(?:\\d[\\d_,]*(?:\\.\\d+)?|\\.\\d+)(?:e[+-]?\\d+)?"
const unary = "(?:sqrt|cbrt|abs|round|floor|ceil|min|max|log|log2|log10|ln|exp|sin|cos|tan|factorial|gcd|lcm|mod|pi|e)"
const shape = new RegExp(
  `(?:(?<![\\p{L}\\d.])${number}(?!\\p{L})|(?<!\\p{L})${unary}(?!\\p{L})|[-+*/%^()!,]|\\s)+`,
  "giu",
)
const dates = /\b\d{4}-\d{1,2}-\d{1,2}\b|\b\d{1,2}:\d{2}\b|\b\d+(?:\.\d+){2,}\b/gu

// longest first: "to the power of" before "power"
const rewrites: readonly (readonly [RegExp, string])[] = [
  [/[×⋅·]/gu, "*"],
  [/÷/gu, "/"],
  [/−/gu, "-"],
  [/√\s*/gu, "sqrt "],
  [/π/gu, "pi"],
  [/²/gu, "^2"],
  [/³/gu, "^3"],
  [/\bto the power of\b|\braised to\b/giu, "^"],
  [/\bto the (\d+)(?:st|nd|rd|th)(?: power)?\b/giu, "^$1"],
  [/\b(?:the )?square root of\b/giu, "sqrt "],
  [/\b(?:the )?cube root of\b/giu, "cbrt "],
  [/\b(?:multiplied|times) by\b|\btimes\b|\bmultiplied with\b/giu, "*"],
  [/\bdivided by\b|\bover\b/giu, "/"],
  [/\bplus\b|\badded to\b/giu, "+"],
  [/\bminus\b/giu, "-"],
  [/\bmodulo\b|\bmod\b(?!\s*\()/giu, "%"],
  [/\bsquared\b/giu, "^2"],
  [/\bcubed\b/giu, "^3"],
  [/(\d(?:[\d.,]*\d)?)\s*(?:%|\bpercent\b)\s*(?:of)\b/giu, "$1/100*"],
  [/(\d(?:[\d.,]*\d)?)\s*percent\b/giu, "$1/100"],
  [/(\d)\s*[x✕]\s*(?=\d|\()/giu, "$1*"],
  [/\bhalf of\b/giu, "1/2*"],
  [/\bfactorial of\s+(\d+)/giu, "$1!"],
  [/(\d+)\s+factorial\b/giu, "$1!"],
]

const command = /^\s*(?:the\s+)?(sum|add|product|multiply|divide|subtract|difference|average|mean)\b/iu
const numbers = new RegExp(`-?${number}`, "giu")

/** "sum of 1, 2 and 3", "divide 10 by 4", "subtract 3 from 10": the words that name an operation before its numbers. */
function fromCommand(text: string): string | undefined {
  const verb = command.exec(text)?.[1]?.toLowerCase()
  const found = (text.match(numbers) ?? []).map((value) => value.replaceAll(/[,_](?=\d{3})|_|,$/gu, ""))
  if (!verb || found.length < 2 || /[*/^]|\d\s*[-+]\s*\d/u.test(text.replace(command, ""))) return undefined
  const [a, b] = found as [string, string]
  if (verb === "sum" || verb === "add") return found.join(" + ")
  if (verb === "product" || verb === "multiply") return found.join(" * ")
  if (verb === "average" || verb === "mean") return `(${found.join(" + ")}) / ${found.length}`
  if (verb === "divide") return `${a} / ${b}`
  return verb === "subtract" && /\bfrom\b/iu.test(text) ? `${b} - ${a}` : `${a} - ${b}`
}

const operates = /[\d)!]\s*(?:\*\*|[-+*/%^])\s*[-+(]*(?:[\d.]|\p{L})|\p{L}\d*\([^()]*\d[^()]*\)|\d!/u

function balanced(text: string): boolean {
  let depth = 0
  for (const char of text) {
    if (char === "(") depth++
    else if (char === ")" && --depth < 0) return false
  }
  return depth === 0
}

/** The arithmetic in a piece of prose, written as expressions: "17 times 23 and 2^10" gives `17 * 23` and `2^10`. */
export function expressionsIn(prose: string): string[] {
  let text = prose
    .replaceAll(dates, " ; ")
    .replaceAll(/\b[a-z]+\b/giu, (word) => wordNumbers[word.toLowerCase()] ?? word)
  for (const [from, to] of rewrites) text = text.replaceAll(from, to)
  const named = fromCommand(text)
  if (named) return [named]
  const found: string[] = []
  for (const match of text.matchAll(shape)) {
    // a comma between numbers outside brackets separates expressions; thousands keep theirs
    for (const part of match[0].replaceAll(/(\d),(?=\d{3}(?!\d))/gu, "$1").split(/,(?![^()]*\))/u)) {
      const expression = part
        .trim()
        .replaceAll(/(sqrt|cbrt|abs|factorial|ln|log|exp)\s+(\d+(?:\.\d+)?)/giu, "$1($2)")
        .replace(/[-+*/%^(,\s]+$/u, "")
        .replace(/^[*/%^),!\s]+/u, "")
        .replaceAll(/\s+/gu, " ")
        .replaceAll(/ ?(\*\*|[*/%+]) ?/gu, " $1 ")
        .replaceAll(/(?<=[\d)!]) ?- ?/gu, " - ")
        .replaceAll(/ ?\^ ?/gu, "^")
      if (expression.length <= 500 && operates.test(expression) && balanced(expression)) found.push(expression)
    }
  }
  return found
}
