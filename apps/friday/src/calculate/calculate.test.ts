import { AgentScopeError } from "@agentscope-ts/message"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { calculate } from "./calculate.ts"
import { evaluate } from "./evaluate.ts"
import { exactRoot, format, fromDecimal, rational, toNumber } from "./rational.ts"

const numRuns = process.env["AGENTSCOPE_SOAK"] ? 5000 : 300
const shown = (expression: string): string => {
  const value = evaluate(expression)
  return typeof value === "number" ? `≈ ${value}` : format(value)
}

describe("calculate", () => {
  it.each([
    ["17*23", "391"],
    ["0.1 + 0.2", "0.3"],
    ["1/3", "1/3 ≈ 0.333333333333333"],
    ["2/6 + 1/6", "0.5"],
    ["2^64", "18446744073709551616"],
    ["2**10", "1024"],
    ["2^-2", "0.25"],
    ["2^3^2", "512"],
    ["-2^2", "-4"],
    ["(-2)^2", "4"],
    ["10 % 3", "1"],
    ["-7 % 3", "2"],
    ["sqrt(144)", "12"],
    ["sqrt(4/9)", "2/3 ≈ 0.666666666666667"],
    ["8^(1/3)", "2"],
    ["cbrt(-27)", "-3"],
    ["20!", "2432902008176640000"],
    ["round(2.5) + round(-2.5)", "0"],
    ["floor(-1.5) + ceil(1.2)", "0"],
    ["max(1/2, 0.4, -1)", "0.5"],
    ["gcd(12, 18) * lcm(4, 6)", "72"],
    ["1_000 × 2 ÷ 4", "500"],
    ["3 = ?", "3"],
    ["1.5e3", "1500"],
    ["0^0", "1"],
    ["(-1)^99999999999", "-1"],
    ["9^9999", "≈ 2.95700380801935e+9541 (9542 digits)"],
  ])("%s is %s", (expression, result) => {
    expect(shown(expression)).toBe(result)
  })

  it("marks what is rounded", async () => {
    expect(await calculate.run({ expression: "sqrt(2)" })).toBe("≈ 1.4142135623731")
    expect(await calculate.run({ expression: "pi * 2" })).toMatch(/^≈ 6\.283185307/u)
  })

  it.each([
    ["1/0", "Division by zero"],
    ["0^-1", "Division by zero"],
    ["", "empty"],
    ["(1", '")" is missing'],
    ["1+", "ends too early"],
    ["1 2", '"2" was not expected'],
    ["foo(1)", 'There is no "foo"'],
    ["constructor", 'There is no "constructor"'],
    ["sqrt 4", "needs brackets"],
    ["sqrt(1, 2)", "takes 1 value"],
    ["2^100000000", "too large"],
    ["9^9^9^9", "too large"],
    ["100000!", "from 0 to 1000"],
    ["1.5!", "whole numbers"],
    ["ln(0)", "too large"],
    ["sqrt(-1)", "not a real number"],
    ["process.exit()", "not understood"],
    ["(".repeat(500), "nested too deeply"],
    ["1+".repeat(1000), "longer than"],
  ])("refuses %s", (expression, why) => {
    let error: unknown
    try {
      evaluate(expression)
    } catch (caught) {
      error = caught
    }
    expect(AgentScopeError.is(error, "invalid_expression")).toBe(true)
    expect((error as Error).message).toContain(why)
  })

  it("does sums of decimals without losing a digit", () => {
    const decimal = fc.tuple(fc.integer({ min: -1_000_000, max: 1_000_000 }), fc.integer({ min: 0, max: 9 }))
    const text = ([n, places]: [number, number]) => {
      const digits = String(Math.abs(n)).padStart(places + 1, "0")
      return `${n < 0 ? "-" : ""}${digits.slice(0, digits.length - places)}${places ? "." : ""}${digits.slice(digits.length - places)}`
    }
    fc.assert(
      fc.property(decimal, decimal, fc.constantFrom("+", "-", "*"), (a, b, sign) => {
        const value = evaluate(`${text(a)} ${sign} (${text(b)})`)
        const scale = 10n ** 9n
        const whole = ([n, places]: [number, number]) => BigInt(n) * 10n ** BigInt(9 - places)
        const [x, y] = [whole(a), whole(b)]
        const expected = sign === "*" ? rational(x * y, scale * scale) : rational(sign === "+" ? x + y : x - y, scale)
        expect(value).toEqual(expected)
      }),
      { numRuns, seed: 3 },
    )
  })

  it("ends with a value or its own error, whatever is written", () => {
    const piece = fc.constantFrom(
      ..."0 1 2.5 10 e pi + - * / % ^ ** ! ( ) , sqrt( max( ln( x _ . 1e9 9999999 \u0000 😀".split(" "),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        try {
          shown(pieces.join(" "))
        } catch (error) {
          expect(AgentScopeError.is(error, "invalid_expression"), String(error)).toBe(true)
        }
      }),
      { numRuns: numRuns * 5, seed: 4 },
    )
  })
})

describe("fractions", () => {
  it("are read from decimals and shown as decimals where those end", () => {
    for (const text of ["0", "12", "0.5", "0.001", "123.456", "100"]) expect(format(fromDecimal(text))).toBe(text)
    expect(format(fromDecimal("5e-7"))).toBe("0.0000005")
    expect(format(rational(-1n, 8n))).toBe("-0.125")
    expect(format(rational(10n ** 60n, 3n))).toBe("≈ 3.33333333333333e+59")
  })

  it("become the nearest float, also where both parts are too large for one", () => {
    expect(toNumber(rational(1n, 3n))).toBe(1 / 3)
    expect(toNumber(rational(10n ** 400n, 10n ** 399n * 3n))).toBeCloseTo(10 / 3, 12)
    expect(toNumber(rational(-(10n ** 399n), 10n ** 400n * 3n))).toBeCloseTo(-1 / 30, 14)
  })

  it("have exact roots only when they have them", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.constantFrom(2, 3), (n, degree) => {
        expect(exactRoot(rational(n ** BigInt(degree)), degree)).toEqual(rational(n))
        if (n > 1n) expect(exactRoot(rational(n ** BigInt(degree) + 1n), degree)).toBeUndefined()
      }),
      { numRuns, seed: 5 },
    )
  })
})
