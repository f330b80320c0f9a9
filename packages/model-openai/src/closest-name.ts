/** The known name that a wrong one was most likely meant to be, or undefined when none is close. */
export function closestName(wrong: string, known: readonly string[]): string | undefined {
  const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, "")
  let best: string | undefined
  let bestDistance = 3
  for (const name of known) {
    const distance = editDistance(plain(wrong), plain(name))
    // short names are close to everything
    if (distance < bestDistance && distance <= Math.floor(name.length / 3)) {
      best = name
      bestDistance = distance
    }
  }
  return best
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(swap, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    row = next
  }
  return row[b.length] as number
}
