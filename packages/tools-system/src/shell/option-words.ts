import type { Argument } from "./words.ts"

/** Options of a program by which it does something else than its name says. */
export interface Options {
  /** Long names without dashes, divided by blanks; a program may take the beginning of one for it. */
  readonly long?: string
  /** Letters, also among others behind one dash. */
  readonly short?: string
  /** Words of any other form. */
  readonly words?: RegExp
}

// quoted as a whole and starting with a plain character, or a glob or name that does: neither can become an option
const noOption = /^(?:"[^"$`\\-][^"]*"|[\w./][\w./,:=+@*?-]*)$/
// becomes several words, also in quotes
const several = /\$\{?@|@\]|@\}|\$\{!/
const namedOption = /^(--[\w-]+=)"[^"]*"$/

/** Whether a word that is not known before it runs may turn out to be an option, or several words. */
export function isOpen({ value, text }: Argument): boolean {
  return value === undefined && (!noOption.test(text) || several.test(text))
}

/** Whether a word gives, or may give, one of these options. */
export function gives(word: Argument, { long = "", short = "", words }: Options): boolean {
  const { value } = word
  if (value === undefined) {
    // of an option whose value is quoted the name is known
    const name = several.test(word.text) ? undefined : namedOption.exec(word.text)?.[1]
    return name === undefined
      ? isOpen(word)
      : gives({ text: name, value: name }, { long, short, ...(words && { words }) })
  }
  if (words?.test(value) === true) return true
  if (value.startsWith("--")) {
    // some programs take any number of dashes, capitals, or `_` for `-`
    const name = (value.split("=", 1)[0] as string).replace(/^-+/, "").toLowerCase().replaceAll("_", "-")
    return (
      name !== "" &&
      long.split(" ").some((option) => option.startsWith(name) || (option !== "" && name.startsWith(`${option}-`)))
    )
  }
  if (!value.startsWith("-") || short === "") return false
  // programs of one dash and long names (`-exec`) are given their names as words
  return short.split("").some((letter) => value.includes(letter, 1))
}
