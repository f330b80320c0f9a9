import { assistantMsg, userMsg } from "@agentscope-ts/message"
import { expect, test } from "vitest"
import { Formatter } from "../formatter.ts"
import { MappedFormatter } from "./mapped-formatter.ts"
import { openedHistory } from "./opened-history.ts"

class Plain extends Formatter {
  protected override formatAll = () => []
}
class Talk extends Plain {
  override mayBegin = () => true
}

test("a user's message stands before an assistant's, always the same one", () => {
  const history = [assistantMsg("a"), userMsg("b")]
  const opened = openedHistory(history, new Plain())
  expect(opened.map(({ role }) => role)).toEqual(["user", "assistant", "user"])
  expect(openedHistory(history, new Plain())[0]).toBe(opened[0])
})

test("a history that may begin as it does stays as it is", () => {
  const [asked, said] = [[userMsg("b"), assistantMsg("a")], [assistantMsg("a")]]
  expect(openedHistory(asked, new Plain())).toBe(asked)
  expect(openedHistory([], new Plain())).toEqual([])
  expect(openedHistory(said, new Talk())).toBe(said)
  expect(openedHistory(said, new MappedFormatter(new Talk(), (wire) => wire))).toBe(said)
})
