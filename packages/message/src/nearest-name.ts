function distance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = (above[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, swap))
    }
    above = row
  }
  return above[b.length] ?? 0
}

/** What is longer is no misspelt name; it is not compared to its end. */
const longest = 100

// readFile, read_file and read-file are one name to whoever mixes them up
const plain = (name: string): string =>
  name
    .slice(0, longest)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "")

/**
 * The candidate that a wrong name was most likely meant to be: at most 2 changes away, or 40 % of its letters; with
 * `strict`, where a name that is merely unknown is fine, at most 2 changes and a third of the candidate's letters.
 * Case and separators do not count.
 */
export function nearestName(
  name: string,
  candidates: Iterable<string>,
  { strict = false }: { strict?: boolean | undefined } = {},
): string | undefined {
  const given = plain(name)
  let best: string | undefined
  let least = (strict ? 2 : Math.max(2, Math.floor(given.length * 0.4))) + 1
  for (const candidate of candidates) {
    const other = plain(candidate)
    const away = given === other ? 0 : distance(given, other)
    if (away >= least || (strict && away > Math.floor(candidate.length / 3))) continue
    least = away
    best = candidate
  }
  return best
}

/** ` Did you mean "x"?` for the end of an error message; empty when no candidate is near. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const meant = nearestName(name, candidates)
  return meant === undefined ? "" : ` Did you mean "${meant}"?`
}
