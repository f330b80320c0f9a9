// a full stop inside a number or an address ends no sentence; what stands after a question mark is a sentence of its own
const between = /(?<=[?？؟])|(?<=[.!…]["'”’)\]]*)\s+|(?<=[。！])|\n+/u
const word = /[\p{L}\p{N}]/u

/** Whether a text is nothing but questions: every sentence of it ends with a question mark. */
export function isQuestion(text: string): boolean {
  const sentences = text.split(between).filter((sentence) => word.test(sentence))
  return sentences.length > 0 && sentences.every((sentence) => /[?？؟]$/u.test(sentence))
}
