/** An exact fraction in lowest terms; the sign is the numerator's. */
export interface Rational {
  readonly n: bigint
  readonly d: bigint
}

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? (a < 0n ? -a : a) : gcd(b, a % b))

/** A fraction in lowest terms; the denominator is not 0. */
export function rational(n: bigint, d = 1n): Rational {
  const common = gcd(n, d) * (d < 0n ? -1n : 1n)
  return { n: n / common, d: d / common }
}

export const add = (a: Rational, b: Rational): Rational => rational(a.n * b.d + b.n * a.d, a.d * b.d)
export const subtract = (a: Rational, b: Rational): Rational => rational(a.n * b.d - b.n * a.d, a.d * b.d)
export const multiply = (a: Rational, b: Rational): Rational => rational(a.n * b.n, a.d * b.d)
/** The divisor is not 0. */
export const divide = (a: Rational, b: Rational): Rational => rational(a.n * b.d, a.d * b.n)
export const compare = (a: Rational, b: Rational): number =>
  Number(a.n * b.d > b.n * a.d) - Number(a.n * b.d < b.n * a.d)

/** The largest whole number that is not above. */
export const floor = ({ n, d }: Rational): bigint => (n >= 0n || n % d === 0n ? n / d : n / d - 1n)

/** `12`, `0.5`, `1.5e3`: a decimal as the fraction that it is. */
export function fromDecimal(text: string): Rational {
  const [, whole = "", part = "", exponent = "0"] = /^(\d*)\.?(\d*)(?:e([+-]?\d+))?$/iu.exec(text) ?? []
  const digits = BigInt(`${whole}${part}` || "0")
  const shift = Number(exponent) - part.length
  return shift >= 0 ? rational(digits * 10n ** BigInt(shift)) : rational(digits, 10n ** BigInt(-shift))
}

/** The nearest floating-point number. */
export function toNumber({ n, d }: Rational): number {
  const plain = Number(n) / Number(d)
  if (Number.isFinite(plain) && plain !== 0) return plain
  // both too large for a float: 60 digits of the quotient are enough for it
  const shift = n.toString().length - d.toString().length
  const scaled = shift > 0 ? n / (d * 10n ** BigInt(Math.max(0, shift - 60))) : (n * 10n ** BigInt(60 - shift)) / d
  return Number(`${scaled}e${shift > 0 ? Math.max(0, shift - 60) : shift - 60}`)
}

/** The exact root of a fraction when it has one: the square root of 4/9 is 2/3. */
export function exactRoot({ n, d }: Rational, degree: 2 | 3): Rational | undefined {
  const root = (value: bigint): bigint | undefined => {
    if (value < 0n) {
      const positive = degree === 3 ? root(-value) : undefined
      return positive === undefined ? undefined : -positive
    }
    // Newton's method from above, on whole numbers
    const power = BigInt(degree)
    let guess = 1n << BigInt(Math.ceil(value.toString(2).length / degree))
    for (;;) {
      const next = ((power - 1n) * guess + value / (guess ** (power - 1n) || 1n)) / power
      if (next >= guess) break
      guess = next
    }
    return guess ** power === value ? guess : undefined
  }
  const top = root(n)
  const bottom = root(d)
  return top === undefined || bottom === undefined ? undefined : rational(top, bottom)
}

const shown = (value: number): string => String(Number(value.toPrecision(15)))

/** `391`, `0.3`, or `1/3 ≈ 0.333333333333333`; what has more than 1000 digits is rounded. */
export function format(value: Rational): string {
  const { n, d } = value
  const sign = n < 0n ? "-" : ""
  const digits = (n < 0n ? -n : n).toString()
  if (d === 1n) {
    if (digits.length <= 1000) return n.toString()
    return `≈ ${sign}${digits[0]}.${digits.slice(1, 15)}e+${digits.length - 1} (${digits.length} digits)`
  }
  // a fraction ends as a decimal when its denominator has no primes but 2 and 5
  let rest = d
  let places = 0
  while (rest % 10n === 0n) [rest, places] = [rest / 10n, places + 1]
  let [twos, fives] = [0, 0]
  while (rest % 2n === 0n) [rest, twos] = [rest / 2n, twos + 1]
  while (rest % 5n === 0n) [rest, fives] = [rest / 5n, fives + 1]
  places += Math.max(twos, fives)
  if (rest === 1n && places <= 50 && digits.length <= 1000) {
    const scaled = ((n < 0n ? -n : n) * 10n ** BigInt(places)) / d
    const text = scaled.toString().padStart(places + 1, "0")
    return `${sign}${text.slice(0, -places)}.${text.slice(-places)}`
  }
  const fraction = `${n}/${d}`
  return fraction.length <= 60 ? `${fraction} ≈ ${shown(toNumber(value))}` : `≈ ${shown(toNumber(value))}`
}

/** `≈ 1.41421356237310`: a value that is known to be rounded. */
export const formatRounded = (value: number): string => `≈ ${shown(value)}`
