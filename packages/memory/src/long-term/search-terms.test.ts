import { expect, test } from "vitest"
import { indexText, searchTerms } from "./search-terms.ts"

/** Whether the index of a text has a term of the query; English endings are the index's own business. */
const finds = (text: string, query: string) => {
  const index = indexText(text).split(" ")
  return searchTerms(query).some((term) => index.includes(term))
}

test.each([
  ["我喜欢喝绿茶", "绿茶"],
  ["我喜欢喝绿茶", "茶"],
  ["私は東京に住んでいます", "東京"],
  ["スーパーで買い物", "スーパー"],
  ["저는 커피를 좋아해요", "커피"],
  ["ฉันชอบชาเขียว", "ชาเขียว"],
  ["Моя кошка спит", "кошку"],
  ["أحب القهوة", "قهوة"],
  ["मुझे चाय पसंद है", "चाय"],
  ["Η γάτα μου", "ΓΆΤΑ"],
  ["Ich wohne in Zürich", "zurich"],
  ["un cafe\u0301", "café"],
  ["ｆｕｌｌ width", "full"],
  ["iPhone15型号", "型号"],
  ["iPhone15型号", "iphone15"],
  ["𠮷野家で", "𠮷野家"],
  ["𞤀𞤣𞤤𞤢𞤥", "𞤀𞤣𞤤𞤢𞤥"],
])("%j is found by %j", (text, query) => {
  expect(finds(text, query)).toBe(true)
})

test.each([
  ["我喜欢喝绿茶", "红酒"],
  ["My dog is Rex", "cat"],
  ["カレー", "すし"],
])("%j is not found by %j", (text, query) => {
  expect(finds(text, query)).toBe(false)
})

test("words that every question has are asked for only where there are no others", () => {
  expect(searchTerms("What is the name of my dog?")).toEqual(["name", "dog"])
  expect(searchTerms("Who am I?")).toEqual(["am"])
  expect(searchTerms("What is it?")).toEqual(["what", "is", "it"])
})

test("what is asked is letters and digits alone, and bounded", () => {
  const hostile = `"' OR 1=1 -- NEAR(a b) * ^ {content}: - + \\ ; DROP \0 ${String.fromCharCode(0xd800)}`
  for (const term of searchTerms(hostile)) expect(term).toMatch(/^[\p{L}\p{N}\p{M}]+$/u)
  expect(searchTerms("?!… 😀")).toEqual([])
  expect(searchTerms(Array.from({ length: 5000 }, (_, i) => `w${i}`).join(" "))).toHaveLength(64)
})
