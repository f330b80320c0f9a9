import { isToolResult, isToolUse, type Tool } from "@agentscope-ts/tool"
import type { ToolResultBlock, ToolUseBlock } from "@agentscope-ts/message"
import { describe, expectTypeOf, it } from "vitest"
import {
  editTool,
  executePythonCode,
  executeShellCommand,
  fileTools,
  readTool,
  type ShellResult,
  viewTextFile,
  writeTextFile,
} from "./index.ts"

describe("the types of the tools", () => {
  it("say what they take and give", () => {
    expectTypeOf(executeShellCommand).parameter(0).toEqualTypeOf<import("./index.ts").ShellOptions | undefined>()
    expectTypeOf(executeShellCommand().run).parameter(0).toEqualTypeOf<{ command: string; timeout?: number }>()
    expectTypeOf(executeShellCommand().run).returns.toEqualTypeOf<Promise<ShellResult>>()
    expectTypeOf(executePythonCode().run).parameter(0).toEqualTypeOf<{ code: string; timeout?: number }>()
    expectTypeOf(viewTextFile({ root: "." }).run)
      .parameter(0)
      .toEqualTypeOf<{ file_path: string; ranges?: [number, number] }>()
    expectTypeOf(viewTextFile({ root: "." }).run).returns.toEqualTypeOf<Promise<string>>()
    expectTypeOf(writeTextFile({ root: "." }).run)
      .parameter(0)
      .toEqualTypeOf<{ file_path: string; content: string; ranges?: [number, number] }>()
    expectTypeOf(readTool({ root: "." }).run).returns.toEqualTypeOf<Promise<string | undefined>>()
    expectTypeOf(fileTools({ root: "." })).toEqualTypeOf<readonly Tool[]>()
    // @ts-expect-error a root is needed
    viewTextFile({})
    // @ts-expect-error no such style
    fileTools({ root: ".", style: "other" })
  })

  it("reach the guards", () => {
    const shell = executeShellCommand()
    const use = {} as ToolUseBlock
    if (isToolUse(use, shell)) expectTypeOf(use.input.command).toEqualTypeOf<string>()
    const result = {} as ToolResultBlock
    if (isToolResult(result, shell)) expectTypeOf(result.structured.returncode).toEqualTypeOf<number>()
    if (isToolResult(result, editTool({ root: "." })))
      expectTypeOf(result.structured.occurrences).toEqualTypeOf<number>()
  })
})
