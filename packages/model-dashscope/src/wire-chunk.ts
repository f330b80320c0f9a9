import {
  answerMediaIn as mediaIn,
  type AnswerMedium,
  type CallPiece,
  callPieceOf,
  objectIn,
  objectsIn,
  type SaidString,
  textIn,
} from "@agentscope-ts/model/wire"

/** An event of a stream, or a whole answer, as far as it is read. Nothing is taken for granted but that it is an object. */
export interface WireChunk {
  readonly request_id?: unknown
  readonly output?: unknown
  readonly usage?: unknown
  /** Of failures. */
  readonly code?: unknown
  readonly message?: unknown
  readonly error?: unknown
}

/** What a chunk says. */
export interface Said {
  readonly text: string
  readonly thinking: string
  readonly calls: readonly CallPiece[]
  /** The text in its parts, with the media among them. */
  readonly parts: readonly (string | AnswerMedium)[]
  /** The finish reason; empty while there is none, for which a stream has the word "null". */
  readonly finish: string
  /** How the text's field begins on the wire. */
  readonly textKey: '"content":' | '"text":'
}

interface Choice {
  readonly index?: unknown
  readonly finish_reason?: unknown
  readonly message?: unknown
}

/** What the first choice says; without `result_format: "message"` there is none, but a text. Undefined for no output. */
export function saidBy(chunk: WireChunk): Said | undefined {
  const output = objectIn<{ choices?: unknown; text?: unknown; finish_reason?: unknown; audio?: unknown }>(chunk.output)
  const choices = objectsIn<Choice>(output?.choices)
  const choice = choices.find(({ index }) => (index ?? 0) === 0)
  const { content, reasoning_content, tool_calls } =
    objectIn<{ content?: unknown; reasoning_content?: unknown; tool_calls?: unknown }>(choice?.message) ?? {}
  const sound = mediaIn(output)
  const isTold =
    choice ?? (sound.length > 0 || typeof output?.text === "string" || typeof output?.finish_reason === "string")
  if (!isTold) return undefined
  const finish = textIn((choice ?? output)?.finish_reason)
  const plain = choice ? content : output?.text
  const parts = [
    ...(typeof plain === "string"
      ? [plain]
      : objectsIn<{ text?: unknown }>(plain).flatMap((part) => [textIn(part.text), ...mediaIn(part)])),
    ...sound,
  ]
  return {
    text: parts.map(textIn).join(""),
    parts,
    thinking: textIn(reasoning_content),
    calls: objectsIn<object>(tool_calls).map(callPieceOf),
    finish: finish === "null" ? "" : finish,
    textKey: choice && typeof content === "string" ? '"content":' : '"text":',
  }
}

/** The strings that an event of pieces says; undefined where it does something else. */
export function saidIn(chunk: WireChunk): readonly SaidString[] | undefined {
  const said = chunk.error ? undefined : saidBy(chunk)
  if (said === undefined || said.finish !== "" || said.parts.some((part) => typeof part !== "string")) return undefined
  const { text, textKey, thinking, calls } = said
  return [
    { key: textKey, text, as: "text" },
    { key: '"reasoning_content":', text: thinking, as: "thinking" },
    ...calls.map((piece) => ({ key: '"arguments":', text: piece.json, as: piece })),
  ]
}
