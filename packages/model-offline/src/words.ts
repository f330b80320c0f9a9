/** The words of a name or a text, in lower case: `executeShellCommand`, `execute_shell_command` and prose alike. */
export function wordsOf(text: string): string[] {
  return (
    text
      .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  )
}

/** A word without the endings that English adds to it, so that "files" meets "file" and "searching" meets "search". */
export function stem(word: string): string {
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`
  if (word.length > 5 && word.endsWith("ing")) return word.slice(0, -3).replace(/([^aeiouls])\1$/u, "$1")
  if (word.length > 4 && /(?:sh|ch|x|ss)es$/u.test(word)) return word.slice(0, -2)
  if (word.length > 3 && word.endsWith("s") && !/(?:ss|us|is)$/u.test(word)) return word.slice(0, -1)
  return word
}

const stopWords = new Set(
  (
    "s t re ll ve d m a an the this that these those it its i me my you your we our us they them their he she his her of to in on at by for from with " +
    "and or but as is are was were be been do does did can could would should will shall may might must have has had not no yes " +
    "please what which who whom whose when where why how there here all any some each every so then than also just only now about " +
    "into out up down over if get give tell show let want need like using use used via call tool tools return returns result results given"
  ).split(" "),
)

/** The stems of the words that carry a meaning. */
export function contentStems(text: string): string[] {
  return wordsOf(text)
    .filter((word) => !stopWords.has(word))
    .map(stem)
}

/** Whether a word only holds a sentence together. */
export const isStopWord = (word: string): boolean => stopWords.has(word.toLowerCase())

// English words one slip away from a verb we know: they are meant as they stand
const meant = new Set(
  (
    "last lost lists real head fine white lead road dead like life line mind kind made must lead rest test text next date data " +
    "file files fire lint mist cost most lists ready reed reads readme bread tread rune ruin done hello shell fund bind bread " +
    "score stare later note notes come compete complete commute quote white while list site sort side seen sent send same save"
  ).split(" "),
)

/** The number of single slips (a letter more, less, changed, or two swapped) between two words; 3 when more than 2. */
export function slips(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return 3
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let best = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (before[j - 2] ?? 0) + 1)
      row.push(best)
    }
    before = above
    above = row
  }
  return Math.min(above[b.length] ?? 3, 3)
}

/** Whether `word` is `verb` with a slip of the fingers: one for verbs of four letters and more, two from eight on. */
export function isTypoOf(word: string, verb: string): boolean {
  if (word.length < 3 || verb.length < 4 || meant.has(word) || word[0] !== verb[0]) {
    // a swapped first pair ("raed" keeps it, "erad" does not) is the one slip that may change the first letter
    if (!(word.length === verb.length && verb.length >= 4 && word[0] === verb[1] && word[1] === verb[0])) return false
    return word.slice(2) === verb.slice(2)
  }
  return slips(word, verb) <= (verb.length >= 8 ? 2 : 1)
}
