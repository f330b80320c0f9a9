import type { AnyTool } from "../define/definition.ts"
import { toolError } from "../error.ts"
import type { SkillInput } from "../skills/skill.ts"
import type { CallDefaults, CallOptions } from "./execute-call.ts"
import type { MetaToolName } from "./meta-tool.ts"
import type { RegisterOptions } from "./tool-entry.ts"
import type { ToolGroup } from "./tool-group.ts"
import type { Spill } from "../execution/spill.ts"
import type { ToolSource } from "./tool-source.ts"
import type { ToolState } from "./tool-state.ts"

/** The options of a `Toolkit`. */
export interface ToolkitOptions {
  /** The tools of the group `basic`, which is always on. */
  tools?: readonly AnyTool[] | undefined
  groups?: readonly ToolGroup[] | undefined
  /** MCP clients and other sources, whose tools join `basic` with `ready()`. */
  mcps?: readonly ToolSource[] | undefined
  /** Folders with a `SKILL.md`, skills, or loaders of many; read first with `ready()`. */
  skills?: readonly SkillInput[] | undefined
  /** Whether the calls of a round run at the same time; true unless given. */
  parallel?: boolean | undefined
  /** How long a call may take, in milliseconds, where its tool says nothing; 300,000 unless given, `Infinity` for no limit. */
  timeoutMs?: number | undefined
  /** How often a call that threw is repeated; never unless given, and never for tools with effects `"once"`. */
  retry?: { readonly maxRetries: number } | undefined
  /**
   * The most characters of text in a result; 100,000 unless given, `Infinity` for no limit. Of a longer one the head and the
   * tail are kept, and the result says so. Media are not text: they stay whole.
   */
  outputLimit?: number | undefined
  /** Keeps the whole text of a result that was cut, and says where: see {@link Spill}. Nothing is kept unless given. */
  spill?: Spill | undefined
  /**
   * False refuses to remove or replace tools, groups, sources and skills. Groups can still be switched, and what a source itself no
   * longer has goes all the same.
   */
  allowToolDeletion?: boolean | undefined
  /** The tool by which the model switches groups, there as soon as there is a group; `reset_tools` unless given. */
  metaTool?: MetaToolName | false | undefined
  /**
   * Whether a tape (`replayTape` of `testing`) answers calls in the place of the tools; true unless given. False for tools
   * whose effects are in the process, such as those of a notebook: a replay runs them again.
   */
  taped?: boolean | undefined
}

/** How the tools of a source are registered. */
export interface SourceOptions extends RegisterOptions {
  /** The names of the tools to take; all unless given. */
  enable?: readonly string[] | undefined
  /** The names of the tools to leave out. */
  disable?: readonly string[] | undefined
}

/** The options of `Toolkit.execute`. */
export interface ExecuteOptions extends CallOptions {
  /** The groups of the conversation; the toolkit's own unless given. */
  readonly state?: ToolState | undefined
}

/** What a toolkit says of every call; throws `invalid_argument` for numbers that make no sense. */
export function callDefaults({
  timeoutMs = 300_000,
  outputLimit = 100_000,
  spill,
  retry,
  taped = true,
}: ToolkitOptions): CallDefaults {
  if (spill !== undefined && typeof spill !== "function") {
    throw toolError("invalid_argument", "The toolkit's spill has to be a function, such as fileSpill() makes.")
  }
  if (retry !== undefined && typeof retry?.maxRetries !== "number") {
    throw toolError("invalid_argument", "The toolkit's retry has to be { maxRetries: NUMBER }.")
  }
  const maxRetries = retry?.maxRetries ?? 0
  check("timeoutMs", timeoutMs, timeoutMs > 0)
  check("outputLimit", outputLimit, outputLimit > 0)
  check("retry.maxRetries", maxRetries, maxRetries >= 0)
  return { timeoutMs, limit: outputLimit, spill, maxRetries, taped }
}

function check(option: string, value: number, isFine: boolean): void {
  if (isFine && typeof value === "number") return
  const least = option === "retry.maxRetries" ? "0 or more" : "more than 0"
  throw toolError("invalid_argument", `The toolkit's ${option} is ${value}: it has to be ${least}.`)
}
