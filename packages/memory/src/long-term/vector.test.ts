import { expect, test } from "vitest"
import { similarity, unitVector, vectorBytes } from "./vector.ts"

const unit = (...numbers: number[]) => unitVector(numbers) as Float32Array

test("vectors compare by their direction", () => {
  const bytes = vectorBytes(unit(3, 4))
  expect(similarity(unit(30, 40), bytes)).toBeCloseTo(1)
  expect(similarity(unit(-4, 3), bytes)).toBeCloseTo(0)
  expect(similarity(unit(-3, -4), bytes)).toBeCloseTo(-1)
})

test("a vector that points nowhere is none", () => {
  for (const numbers of [[0, 0], [], [Number.NaN, 1], [Number.POSITIVE_INFINITY, 1]]) {
    expect(unitVector(numbers)).toBeUndefined()
  }
})

test("bytes at any place compare, those of another length do not", () => {
  const bytes = vectorBytes(unit(3, 4))
  const moved = new Uint8Array(bytes.length + 1)
  moved.set(bytes, 1)
  expect(similarity(unit(3, 4), moved.subarray(1))).toBeCloseTo(1)
  expect(similarity(unit(3, 4, 5), bytes)).toBe(0)
})
