// Full text in any language, with the tokens made here: SQLite's `unicode61` takes a Chinese sentence for one word, its
// `trigram` finds no word of two characters (most of Chinese), and neither knows the scripts that came after its tables.

/** Scripts written without spaces, or with endings joined to the word: they are searched by pairs of characters. */
const dense =
  "\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Bopomofo}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}\\p{scx=Tibetan}"
const word = /[\p{L}\p{N}\p{M}]+/gu
const runs = new RegExp(`[${dense}]+|[^${dense}]+`, "gu")
const isDense = new RegExp(`^[${dense}]`, "u")
const latin = /^[\p{Script=Latin}\p{N}]+$/u
const accents = /(\p{Script=Latin})\p{Mn}+/gu
const mostTerms = 64

// said in every question, so that they would find everything
const common = new Set(
  "a about an and are as at be been by can could did do does for from had has have he her him his how i in is it its me my of on or our she should so tell that the their them they this to was we were what when where which who whose why will with would you your".split(
    " ",
  ),
)

/** The text as it is put into the index: tokens with spaces between them. */
export function indexText(text: string): string {
  return [...tokens(text, true)].join(" ")
}

/** What to ask the index for, each once; of a long text the first terms. Empty where the text has no letter or digit. */
export function searchTerms(text: string): readonly string[] {
  const all = new Set(tokens(text, false))
  const telling = [...all].filter((term) => !common.has(term))
  return (telling.length > 0 ? telling : [...all]).slice(0, mostTerms)
}

function* tokens(text: string, indexing: boolean): Generator<string> {
  const plain = text.normalize("NFKD").replace(accents, "$1").normalize("NFKC").toLowerCase()
  for (const [found] of plain.matchAll(word)) {
    for (const [run] of found.matchAll(runs)) {
      const characters = Array.from(run)
      if (isDense.test(run)) {
        // single characters are found too, but asked for only where there is nothing more
        if (indexing || characters.length === 1) yield* characters
        yield* grams(characters, 2)
        continue
      }
      yield run
      // English words are stemmed by the index; in other alphabets their parts find the other forms of a word
      if (!latin.test(run) && characters.length > 3) yield* grams(characters, 3)
    }
  }
}

function* grams(characters: readonly string[], size: number): Generator<string> {
  for (let at = 0; at + size <= characters.length; at++) yield characters.slice(at, at + size).join("")
}
