import type { CallEnd } from "@agentscope-ts/model"
import { figureIn, objectIn } from "@agentscope-ts/model/wire"

/** The provider's figures of one call. Each chunk tells them so far, and not each tells them all: the last word counts. */
export class Usage {
  readonly #told = new Map<string, number>()

  add(value: unknown): void {
    for (const [key, figure] of Object.entries(objectIn<Record<string, unknown>>(value) ?? {})) {
      const tokens = key.endsWith("TokenCount") ? figureIn(figure) : undefined
      if (tokens !== undefined) this.#told.set(key, tokens)
    }
  }

  /** In our terms: what tools of Google's put before the model is input, thoughts are output. */
  figures(): CallEnd["usage"] {
    const sum = (...keys: readonly string[]): number | undefined => {
      const told = keys.map((key) => this.#told.get(key)).filter((figure) => figure !== undefined)
      return told.length > 0 ? told.reduce((a, b) => a + b) : undefined
    }
    const inputTokens = sum("promptTokenCount", "toolUsePromptTokenCount")
    const outputTokens = sum("candidatesTokenCount", "thoughtsTokenCount")
    if (inputTokens === undefined && outputTokens === undefined) return undefined
    return {
      inputTokens,
      outputTokens,
      cachedInputTokens: sum("cachedContentTokenCount"),
      reasoningTokens: sum("thoughtsTokenCount"),
    }
  }
}
