import type { Tool } from "@agentscope-ts/tool"
import { insertTextFile } from "./agentscope/insert-text-file.ts"
import { listDirectory } from "./agentscope/list-directory.ts"
import { globFiles, grepFiles } from "./agentscope/search-files.ts"
import { type FileOptions, viewTextFile } from "./agentscope/view-text-file.ts"
import { writeTextFile } from "./agentscope/write-text-file.ts"
import { bashOutputTool, killShellTool } from "./claude/bash-jobs.ts"
import { bashTool } from "./claude/bash.ts"
import { editTool } from "./claude/edit.ts"
import { ReadLedger } from "./claude/read-ledger.ts"
import { readTool } from "./claude/read.ts"
import { globTool, grepTool } from "./claude/search.ts"
import { writeTool } from "./claude/write.ts"
import { checkOption } from "./check-options.ts"
import { checkFileOptions } from "./files/root-of.ts"
import type { ShellJobs } from "./shell/shell-jobs.ts"

/** The options of {@link fileTools}. */
export interface FileToolsOptions extends FileOptions {
  /**
   * `"agentscope"` (the default): `view_text_file`, `list_directory`, `glob_files`, `grep_files`, `write_text_file`,
   * `insert_text_file`. `"claude"`, the set of the 2.x line: `Read`, `Glob`, `Grep`, `Write`, `Edit`, `Bash`.
   */
  style?: "agentscope" | "claude" | undefined
  /** Where `Bash` runs commands in the background; adds `BashOutput` and `KillShell` to the style `"claude"`. */
  jobs?: ShellJobs | undefined
  /** Leaves out everything that can change something. */
  readOnly?: boolean | undefined
}

const isStyle = (style: unknown): boolean => style === "agentscope" || style === "claude"
const optionNames: readonly (keyof FileToolsOptions)[] = ["root", "encoding", "style", "jobs", "readOnly"]

/**
 * A whole set of tools for the files below a folder. Those that change something ask for approval. Throws `invalid_argument`
 * without a root, and for options that there are not; a root that does not exist is told by the first call (`not_found`).
 */
export function fileTools(options: FileToolsOptions): readonly Tool[] {
  checkFileOptions("fileTools()", options, optionNames)
  checkOption("fileTools()", "style", options.style, isStyle(options.style), '"agentscope" or "claude"')
  checkOption("fileTools()", "readOnly", options.readOnly, typeof options.readOnly === "boolean", "true or false")
  const { root, encoding, style = "agentscope", readOnly = false, jobs } = options
  if (style === "claude") {
    const shared = { root, encoding, ledger: new ReadLedger() }
    const reading = [readTool(shared), globTool(shared), grepTool(shared)]
    if (readOnly) return reading
    const background = jobs === undefined ? [] : [bashOutputTool(jobs), killShellTool(jobs)]
    return [...reading, writeTool(shared), editTool(shared), bashTool({ cwd: root, jobs }), ...background]
  }
  const files = { root, encoding }
  const reading = [viewTextFile(files), listDirectory(files), globFiles(files), grepFiles(files)]
  return readOnly ? reading : [...reading, writeTextFile(files), insertTextFile(files)]
}
