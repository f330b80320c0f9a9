import type { ThinkingWays } from "./wire/reasoning.ts"

/** What a model takes, as far as its name tells its generation. */
export interface ClaudeGeneration extends Pick<ThinkingWays, "by" | "rests"> {
  /** Whether it is a Claude at all. */
  readonly isClaude: boolean
  /** Whether it takes `temperature`, `top_p` and `top_k`: any, only one of the first two, or none. */
  readonly sampling: "any" | "one" | "none"
  /** Whether it holds answers and strict tools to a schema. */
  readonly holdsSchemas: boolean
}

/**
 * The generation of a model, from its name at Anthropic, Bedrock (`us.anthropic.claude-…-v1:0`) or Vertex (`…@20250805`). A
 * Claude without a number counts as new; a model that is none (a compatible endpoint) gets what the format always had.
 */
export function claudeGeneration(model: string): ClaudeGeneration {
  const name = /claude-(?:([a-z]+)-?)?(?:(\d+)(?:[-.](\d{1,2}))?(?!\d))?/.exec(model.toLowerCase())
  if (!name) return { isClaude: false, by: "budget", rests: "told", sampling: "any", holdsSchemas: false }
  const [, family, major, minor = "0"] = name
  const version = major === undefined ? 500 : Number(major) * 100 + Number(minor)
  return {
    isClaude: true,
    by: version < 307 ? "none" : version < 406 ? "budget" : version < 407 ? "either" : "effort",
    rests: family === "fable" || family === "mythos" ? "never" : version < 500 ? "default" : "told",
    sampling: version < 401 ? "any" : version < 407 ? "one" : "none",
    holdsSchemas: version >= 405,
  }
}
