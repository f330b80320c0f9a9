import { expect, test } from "vitest"
import { fuseRanks } from "./fuse-ranks.ts"

test("what two searches put high comes before what one puts first", () => {
  const fused = fuseRanks([
    [1, 2, 3],
    [4, 2, 5],
  ])
  expect(fused.map(({ key }) => key)).toEqual([2, 4, 1, 5, 3])
})

test("what all put first has the score 1, and of equal ones the newer comes first", () => {
  expect(fuseRanks([[7], [7]])).toEqual([{ key: 7, score: 1 }])
  expect(fuseRanks([[1], [2]]).map(({ key }) => key)).toEqual([2, 1])
  expect(fuseRanks([[], []])).toEqual([])
})
