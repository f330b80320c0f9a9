// of the paper on reciprocal rank fusion (Cormack, Clarke, Büttcher 2009)
const damping = 60

/**
 * Reciprocal rank fusion: one order out of several, best first, by ranks alone, since scores of different searches do not
 * compare. The score is 1 for what every search puts first. Of equal ones the greater key, which is the newer, comes first.
 */
export function fuseRanks(lists: readonly (readonly number[])[]): readonly { key: number; score: number }[] {
  const sums = new Map<number, number>()
  for (const list of lists) {
    for (const [rank, key] of list.entries()) sums.set(key, (sums.get(key) ?? 0) + 1 / (damping + rank + 1))
  }
  const best = lists.length / (damping + 1)
  return [...sums].map(([key, sum]) => ({ key, score: sum / best })).sort((a, b) => b.score - a.score || b.key - a.key)
}
