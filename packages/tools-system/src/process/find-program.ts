import { accessSync, constants, statSync } from "node:fs"
import { delimiter, join } from "node:path"

/** The first of these programs that PATH leads to, as an absolute path. */
export function findProgram(names: readonly string[], path = process.env["PATH"] ?? ""): string | undefined {
  const endings = process.platform === "win32" ? [".exe", ""] : [""]
  for (const name of names) {
    for (const folder of path.split(delimiter)) {
      // a relative folder would mean whatever the working folder holds
      if (folder === "" || folder.startsWith(".")) continue
      for (const ending of endings) {
        const file = join(folder, name + ending)
        if (isProgram(file)) return file
      }
    }
  }
  return undefined
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
