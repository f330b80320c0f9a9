import type { Chunking } from "./split-body.ts"

/** Options of a replay server: how bodies are cut, and what goes wrong on the way. */
export interface ReplayOptions {
  /** 0, the default, picks a free port. */
  readonly port?: number | undefined
  /** `event` unless given. */
  readonly chunking?: Chunking | undefined
  /** Seed of `random` pieces; 1 unless given. */
  readonly seed?: number | undefined
  /** Longest `random` piece in bytes; 40 unless given. */
  readonly maxChunk?: number | undefined
  /** Pause between two pieces; 0 unless given. */
  readonly delayMs?: number | undefined
  /** Cuts the connection after so many bytes of the body. */
  readonly disconnectAfterBytes?: number | undefined
  /** Cuts the connection after so many events of the stream. */
  readonly disconnectAfterEvents?: number | undefined
  /** `reset` (default): the socket is destroyed; `end`: the body ends early, but as if it were complete. */
  readonly disconnectMode?: "reset" | "end" | undefined
  /** Sends so many bytes of the body, then nothing more until the client gives up. */
  readonly stallAfterBytes?: number | undefined
  /** Serves every cassette once, then answers 404. Otherwise the last one that fits is served again and again. */
  readonly once?: boolean | undefined
  /** Answers the first so many requests with an error. */
  readonly failFirst?: number | undefined
  /** Status of that error; 503 unless given. */
  readonly failStatus?: number | undefined
  /** Closes the first so many connections without an answer. */
  readonly dropFirst?: number | undefined
}
