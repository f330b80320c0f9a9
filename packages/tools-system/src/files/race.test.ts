import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { AnyTool } from "@agentscope-ts/tool"
import { expect, it } from "vitest"
import { fileTools } from "../file-tools.ts"
import { textOfCall } from "../fixtures/call-tool.ts"
import { TempFolder } from "../fixtures/temp-folder.ts"

const flipper = fileURLToPath(new URL("../fixtures/flip-links.ts", import.meta.url))
const rounds = process.env["AGENTSCOPE_SOAK"] === "1" ? 10_000 : 600

it.runIf(process.platform === "linux")(
  "FR-44 nothing outside is read or written while another program swaps a folder for a link and back",
  async () => {
    const folder = new TempFolder({
      "root/dir/f": "inside",
      "root/dir/sub/g": "inside",
      "outside/f": "SECRET",
      "outside/sub/g": "SECRET",
      "outside/SECRET.txt": "SECRET",
    })
    const tools = new Map(fileTools({ root: folder.at("root") }).map((tool): [string, AnyTool] => [tool.name, tool]))
    const child = spawn(process.execPath, [flipper, folder.at("root/dir"), folder.at("outside")], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    try {
      await once(child.stdout, "data")
      const ends = { done: 0, refused: 0 }
      const call = async (name: string, input: object): Promise<void> => {
        const text = await textOfCall(tools.get(name) as AnyTool, input)
        expect(text.replace("No matches for SECRET.", ""), name).not.toContain("SECRET")
        if (/Access denied|does not exist|not a regular file|could not|Could not|a file stands/.test(text))
          ends.refused++
        else ends.done++
      }
      for (let i = 0; i < rounds; i++) {
        await call("view_text_file", { file_path: "dir/f" })
        await call("write_text_file", { file_path: "dir/f", content: `mine ${i}` })
        await call("write_text_file", { file_path: `dir/new${i % 30}/deep/n`, content: "mine" })
        await call("insert_text_file", { file_path: "dir/sub/g", content: "mine", line_number: 1 })
        await call("list_directory", { dir_path: "dir" })
        await call("glob_files", { pattern: "dir/**" })
        await call("grep_files", { pattern: "SECRET", path: "dir" })
      }
      // both happened: else there was no race
      expect(ends.done).toBeGreaterThan(0)
      expect(ends.refused).toBeGreaterThan(0)
      expect(child.exitCode).toBeNull()
    } finally {
      child.kill("SIGKILL")
      await once(child, "exit")
    }
    expect(readdirSync(folder.at("outside")).toSorted()).toEqual(["SECRET.txt", "f", "sub"])
    expect(readdirSync(folder.at("outside/sub"))).toEqual(["g"])
    expect([folder.read("outside/f"), folder.read("outside/sub/g")]).toEqual(["SECRET", "SECRET"])
  },
  60_000,
)
