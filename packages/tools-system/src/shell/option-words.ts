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

/** Whether a word that is not known before it runs may turn out to be an option, or several words. */
export function isOpen({ value, text }: Argument): boolean {
  return value === undefined && !noOption.test(text)
}

/** Whether a word gives, or may give, one of these options. */
export function gives(word: Argument, { long = "", short = "", words }: Options): boolean {
  const { value } = word
  if (value === undefined) return isOpen(word)
  if (words?.test(value) === true) return true
  if (value.startsWith("--")) {
    const name = value.slice(2).split("=", 1)[0] as string
    return (
      name !== "" &&
      long.split(" ").some((option) => option.startsWith(name) || (option !== "" && name.startsWith(`${option}-`)))
    )
  }
  if (!value.startsWith("-") || short === "") return false
  // programs of one dash and long names (`-exec`) are given their names as words
  return short.split("").some((letter) => value.includes(letter, 1))
}
