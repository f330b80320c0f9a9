import type { Tool } from "@agentscope-ts/tool"
import { insertTextFile } from "./agentscope/insert-text-file.ts"
import { listDirectory } from "./agentscope/list-directory.ts"
import { globFiles, grepFiles } from "./agentscope/search-files.ts"
import { viewTextFile } from "./agentscope/view-text-file.ts"
import { writeTextFile } from "./agentscope/write-text-file.ts"
import { bashTool } from "./claude/bash.ts"
import { editTool } from "./claude/edit.ts"
import { ReadLedger } from "./claude/read-ledger.ts"
import { readTool } from "./claude/read.ts"
import { globTool, grepTool } from "./claude/search.ts"
import { writeTool } from "./claude/write.ts"

/** The options of {@link fileTools}. */
export interface FileToolsOptions {
  /** The folder that the tools see; nothing outside it can be read or written, through links either. */
  root: string
  /**
   * `"agentscope"` (the default): `view_text_file`, `list_directory`, `glob_files`, `grep_files`, `write_text_file`,
   * `insert_text_file`. `"claude"`, the set of the 2.x line: `Read`, `Glob`, `Grep`, `Write`, `Edit`, `Bash`.
   */
  style?: "agentscope" | "claude" | undefined
  /** Leaves out everything that can change something. */
  readOnly?: boolean | undefined
}

/** A whole set of tools for the files below a folder. Those that change something ask for approval. */
export function fileTools(options: FileToolsOptions): readonly Tool[] {
  const { root, style = "agentscope", readOnly = false } = options
  if (style === "claude") {
    const shared = { root, ledger: new ReadLedger() }
    const reading = [readTool(shared), globTool(shared), grepTool(shared)]
    return readOnly ? reading : [...reading, writeTool(shared), editTool(shared), bashTool({ cwd: root })]
  }
  const reading = [viewTextFile({ root }), listDirectory({ root }), globFiles({ root }), grepFiles({ root })]
  return readOnly ? reading : [...reading, writeTextFile({ root }), insertTextFile({ root })]
}
