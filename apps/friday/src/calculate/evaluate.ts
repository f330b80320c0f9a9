import { AgentScopeError } from "@agentscope-ts/message"
import * as exact from "./rational.ts"
import type { Rational } from "./rational.ts"

/** What an expression is worth: an exact fraction, or a rounded number where no fraction is exact (`sqrt(2)`, `pi`). */
export type Value = Rational | number

const mostChars = 1000
const mostDepth = 100
const mostBits = 100_000

const fail = (message: string): AgentScopeError => new AgentScopeError({ code: "invalid_expression", message })
/** A mistake of writing, with what can be written. */
const unreadable = (message: string): AgentScopeError =>
  fail(`${message} Write numbers with + - * / % ^ ! ( ) and ${Object.keys(functions).toSorted().join(", ")}, pi, e.`)

const isExact = (value: Value): value is Rational => typeof value !== "number"
const number = (value: Value): number => (isExact(value) ? exact.toNumber(value) : value)

function rounded(value: number): number {
  if (Number.isFinite(value)) return value
  throw fail(Number.isNaN(value) ? "The result is not a real number." : "The result is too large.")
}

function checked(value: Rational): Rational {
  const size = value.n.toString(16).length + value.d.toString(16).length
  if (size * 4 > mostBits) throw fail("The result is too large.")
  return value
}

function whole(value: Value, what: string): bigint {
  if (isExact(value) && value.d === 1n) return value.n
  throw fail(`${what} takes whole numbers.`)
}

function power(base: Value, exponent: Value): Value {
  if (isExact(base) && isExact(exponent) && exponent.d === 1n) {
    const times = exponent.n < 0n ? -exponent.n : exponent.n
    const bits = Math.max(base.n.toString(2).length, base.d.toString(2).length)
    const grows = base.d !== 1n || (base.n !== 0n && base.n !== 1n && base.n !== -1n)
    if (grows && times * BigInt(bits) > BigInt(mostBits)) throw fail("The result is too large.")
    if (!grows && times > 1n)
      return base.n === -1n && times % 2n === 0n
        ? exact.rational(1n)
        : power(base, exact.rational(exponent.n < 0n ? -1n : 1n))
    if (exponent.n >= 0n) return exact.rational(base.n ** times, base.d ** times)
    if (base.n === 0n) throw fail("Division by zero.")
    return exact.rational(base.d ** times, base.n ** times)
  }
  if (isExact(base) && isExact(exponent) && exponent.n === 1n && (exponent.d === 2n || exponent.d === 3n)) {
    const root = exact.exactRoot(base, exponent.d === 2n ? 2 : 3)
    if (root) return root
  }
  return rounded(number(base) ** number(exponent))
}

function factorial(value: Value): Rational {
  const n = whole(value, "!")
  if (n < 0n || n > 1000n) throw fail("! takes whole numbers from 0 to 1000.")
  let product = 1n
  for (let i = 2n; i <= n; i++) product *= i
  return exact.rational(product)
}

type Operation = (a: Value, b: Value) => Value
const mixed =
  (onExact: (a: Rational, b: Rational) => Rational, onNumbers: (a: number, b: number) => number): Operation =>
  (a, b) =>
    isExact(a) && isExact(b) ? checked(onExact(a, b)) : rounded(onNumbers(number(a), number(b)))

const nonZero = (b: Value): void => {
  if (number(b) === 0 && (!isExact(b) || b.n === 0n)) throw fail("Division by zero.")
}
const modulo: Operation = (a, b) => {
  nonZero(b)
  const times = (x: Rational, y: Rational) => exact.rational(exact.floor(exact.divide(x, y)))
  return mixed(
    (x, y) => exact.subtract(x, exact.multiply(y, times(x, y))),
    (x, y) => x - y * Math.floor(x / y),
  )(a, b)
}
const operations: Readonly<Record<string, Operation>> = {
  "+": mixed(exact.add, (a, b) => a + b),
  "-": mixed(exact.subtract, (a, b) => a - b),
  "*": mixed(exact.multiply, (a, b) => a * b),
  "/": (a, b) => {
    nonZero(b)
    return mixed(exact.divide, (x, y) => x / y)(a, b)
  },
  "%": modulo,
}

const negate = (value: Value): Value => (isExact(value) ? exact.rational(-value.n, value.d) : -value)
const half = exact.rational(1n, 2n)

/** A function of one value that is exact on fractions, or rounded. */
const one =
  (onExact: (value: Rational) => Value | undefined, onNumber: (value: number) => number) =>
  (args: readonly Value[]): Value => {
    const value = only(args, 1)[0] as Value
    return (isExact(value) ? onExact(value) : undefined) ?? rounded(onNumber(number(value)))
  }
const inexact = (fn: (value: number) => number) => one(() => undefined, fn)
const toWhole = (fn: (value: Rational) => bigint, onNumber: (value: number) => number) =>
  one((value) => exact.rational(fn(value)), onNumber)

function only(args: readonly Value[], count: number): readonly Value[] {
  if (args.length === count) return args
  throw fail(`A function takes ${count} value${count === 1 ? "" : "s"}, not ${args.length}.`)
}

function best(args: readonly Value[], sign: 1 | -1): Value {
  const order = (a: Value, b: Value) => (isExact(a) && isExact(b) ? exact.compare(a, b) : number(a) - number(b))
  const [first, ...rest] = args
  if (first === undefined) throw fail("min and max take at least one value.")
  return rest.reduce((kept, value) => (order(value, kept) * sign > 0 ? value : kept), first)
}

function commonDivisor(args: readonly Value[]): bigint {
  const [a, b] = only(args, 2).map((value) => whole(value, "gcd and lcm")) as [bigint, bigint]
  let [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b]
  while (y !== 0n) [x, y] = [y, x % y]
  return x
}

const functions: Readonly<Record<string, (args: readonly Value[]) => Value>> = {
  sqrt: one((value) => exact.exactRoot(value, 2), Math.sqrt),
  cbrt: one((value) => exact.exactRoot(value, 3), Math.cbrt),
  abs: one((value) => exact.rational(value.n < 0n ? -value.n : value.n, value.d), Math.abs),
  floor: toWhole(exact.floor, Math.floor),
  ceil: toWhole((value) => -exact.floor(exact.rational(-value.n, value.d)), Math.ceil),
  // half away from zero, as people round
  round: toWhole(
    (value) =>
      value.n < 0n
        ? -exact.floor(exact.add(exact.rational(-value.n, value.d), half))
        : exact.floor(exact.add(value, half)),
    Math.round,
  ),
  min: (args) => best(args, -1),
  max: (args) => best(args, 1),
  gcd: (args) => exact.rational(commonDivisor(args)),
  lcm: (args) => {
    const divisor = commonDivisor(args)
    const [a, b] = args.map((value) => whole(value, "lcm")) as [bigint, bigint]
    return divisor === 0n ? exact.rational(0n) : exact.rational((a * b < 0n ? -a * b : a * b) / divisor)
  },
  mod: (args) => modulo(...(only(args, 2) as [Value, Value])),
  factorial: (args) => factorial(only(args, 1)[0] as Value),
  exp: inexact(Math.exp),
  ln: inexact(Math.log),
  log: inexact(Math.log10),
  log2: inexact(Math.log2),
  log10: inexact(Math.log10),
  sin: inexact(Math.sin),
  cos: inexact(Math.cos),
  tan: inexact(Math.tan),
}
const constants: Readonly<Record<string, number>> = { pi: Math.PI, e: Math.E }

const token =
  /\s*(?:(\d[\d_]*(?:\.\d*)?(?:e[+-]?\d{1,4})?(?![\p{L}])|\.\d+(?:e[+-]?\d{1,4})?|\d[\d_]*(?:\.\d+)?)|(\p{L}[\p{L}\d]*)|(\*\*|[-+*/%^!(),])|(\S))/giuy
interface Token {
  readonly kind: "number" | "name" | "sign"
  readonly text: string
}

function tokensOf(text: string): Token[] {
  const plain = text.replaceAll("×", "*").replaceAll("÷", "/").replaceAll("−", "-").replaceAll("π", "pi")
  return [...plain.matchAll(token)].map(([, digits, name, sign, other]) => {
    if (other !== undefined) throw unreadable(`"${other}" is not understood.`)
    if (digits !== undefined) return { kind: "number", text: digits.replaceAll("_", "") }
    return name === undefined ? { kind: "sign", text: sign as string } : { kind: "name", text: name.toLowerCase() }
  })
}

/** Reads an expression from left to right: sums of products of powers. */
class Parser {
  readonly #tokens: readonly Token[]
  #at = 0
  #depth = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  whole(): Value {
    const value = this.#sum()
    const rest = this.#tokens[this.#at]
    if (rest) throw unreadable(`"${rest.text}" was not expected.`)
    return value
  }

  #take(...signs: readonly string[]): string | undefined {
    const next = this.#tokens[this.#at]
    if (next?.kind !== "sign" || !signs.includes(next.text)) return undefined
    this.#at++
    return next.text
  }

  #chain(signs: readonly string[], part: () => Value): Value {
    let value = part()
    for (let sign = this.#take(...signs); sign !== undefined; sign = this.#take(...signs)) {
      value = (operations[sign] as Operation)(value, part())
    }
    return value
  }

  #sum(): Value {
    if (++this.#depth > mostDepth) throw fail("The expression is nested too deeply.")
    const value = this.#chain(["+", "-"], () => this.#chain(["*", "/", "%"], () => this.#signed()))
    this.#depth--
    return value
  }

  #signed(): Value {
    let negative = false
    for (let sign = this.#take("-", "+"); sign !== undefined; sign = this.#take("-", "+"))
      negative = negative !== (sign === "-")
    const value = this.#power()
    return negative ? negate(value) : value
  }

  #power(): Value {
    let base = this.#atom()
    while (this.#take("!") !== undefined) base = factorial(base)
    if (this.#take("^", "**") === undefined) return base
    if (++this.#depth > mostDepth) throw fail("The expression is nested too deeply.")
    // from the right: 2^3^2 is 2^9
    const value = power(base, this.#signed())
    this.#depth--
    return value
  }

  #atom(): Value {
    const next = this.#tokens[this.#at]
    if (next === undefined) throw unreadable("The expression ends too early.")
    if (next.kind === "number") {
      this.#at++
      return checked(exact.fromDecimal(next.text))
    }
    if (next.kind === "name") return this.#named(next.text)
    if (this.#take("(") === undefined) throw unreadable(`"${next.text}" was not expected.`)
    const value = this.#sum()
    this.#close()
    return value
  }

  #named(name: string): Value {
    this.#at++
    const constant = Object.hasOwn(constants, name) ? constants[name] : undefined
    if (constant !== undefined) return constant
    const fn = Object.hasOwn(functions, name) ? functions[name] : undefined
    if (fn === undefined) throw unreadable(`There is no "${name}".`)
    if (this.#take("(") === undefined) throw unreadable(`"${name}" needs brackets: ${name}(…).`)
    const args = [this.#sum()]
    while (this.#take(",") !== undefined) args.push(this.#sum())
    this.#close()
    return fn(args)
  }

  #close(): void {
    if (this.#take(")") === undefined) throw unreadable('A ")" is missing.')
  }
}

/**
 * The value of an arithmetic expression, exact where it can be: 0.1 + 0.2 is 0.3. No code is run.
 * @throws AgentScopeError `invalid_expression`, with what was wrong and what can be written.
 */
export function evaluate(expression: string): Value {
  if (expression.length > mostChars) throw fail(`The expression is longer than ${mostChars} characters.`)
  const tokens = tokensOf(expression.replace(/\s*=\s*\??\s*$/u, ""))
  if (tokens.length === 0) throw unreadable("The expression is empty.")
  return new Parser(tokens).whole()
}
