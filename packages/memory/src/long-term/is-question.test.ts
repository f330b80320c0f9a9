import { expect, test } from "vitest"
import { isQuestion } from "./is-question.ts"

test.each([
  "Which tea do I like?",
  " Which tea? And “which cup?” ",
  "Does v1.2 of example.org work?!",
  "我喜欢喝什么茶？",
  "我喜欢喝什么茶？你记得吗？",
  "お茶は何が好き？\nコーヒーは？",
])("nothing but questions: %j", (text) => expect(isQuestion(text)).toBe(true))

test.each([
  "My tea is the green one.",
  "I am Ann. Which tea do I like?",
  "Which tea do I like? The green one.",
  "Name: Ann\nWhich tea?",
  "我叫小明。我喜欢什么茶？",
  "我喜欢什么茶？绿茶",
  "https://example.org/?q=tea is my page",
  "?",
  "",
])("something is said: %j", (text) => expect(isQuestion(text)).toBe(false))
