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

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "")

/** ` Did you mean "x"?` for the candidate nearest to a misspelt name; empty when none is near. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const given = name.slice(0, longest)
  let best: string | undefined
  let least = Math.max(2, Math.floor(given.length * 0.4)) + 1
  for (const candidate of candidates) {
    // readFile and read_file are one name to whoever mixes them up
    const away = plain(candidate) === plain(name) ? 0 : distance(given, candidate.slice(0, longest))
    if (away < least) {
      least = away
      best = candidate
    }
  }
  return best === undefined ? "" : ` Did you mean "${best}"?`
}
