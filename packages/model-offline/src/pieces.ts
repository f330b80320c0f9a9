/** Text as a model streams it: word by word, each with the space before it. The pieces joined are the text. */
export function wordPieces(text: string): string[] {
  return text.match(/\s*\S{1,40}|\s+$/gu) ?? []
}

/** Arguments as a model streams them: some characters at a time, never half of one. */
export function jsonPieces(json: string): string[] {
  return json.match(/[\s\S]{1,24}/gu) ?? []
}
