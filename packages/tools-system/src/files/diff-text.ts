import { createTwoFilesPatch } from "diff"

const longest = 100_000

/**
 * The change of a file as a unified diff, for people: in a result's metadata, where the model does not see it. Empty where it
 * would take long or be longer than 100 000 characters.
 */
export function diffText(path: string, before: string | undefined, after: string): string {
  const from = before === undefined ? "/dev/null" : `a/${path}`
  const patch = createTwoFilesPatch(from, `b/${path}`, before ?? "", after, undefined, undefined, {
    context: 3,
    timeout: 200,
  })
  return patch === undefined || patch.length > longest ? "" : patch
}
