import type { ToolSchema } from "@agentscope-ts/model"
import { describe, expect, it } from "vitest"
import { abilityOf, affinity, roleOf } from "./abilities.ts"
import { contentStems } from "./words.ts"

const of = (
  name: string,
  description: string,
  required: readonly string[],
  optional: readonly string[] = [],
): ToolSchema => ({
  name,
  description,
  parameters: {
    type: "object",
    properties: Object.fromEntries([...required, ...optional].map((param) => [param, { type: "string" }])),
    required,
  },
})

describe("abilities of tools", () => {
  it.each<[ToolSchema, string | undefined]>([
    [of("view_text_file", "View the content of a text file.", ["file_path"], ["ranges"]), "read"],
    [of("write_text_file", "Create or overwrite a text file.", ["file_path", "content"], ["ranges"]), "write"],
    [of("insert_text_file", "Insert content into a text file.", ["file_path", "content", "line_number"]), "insert"],
    [of("list_directory", "List the folders and files in a folder.", [], ["dir_path"]), "list"],
    [of("glob_files", "Find files by a glob pattern.", ["pattern"], ["path"]), "find"],
    [of("grep_files", "Search the contents of files.", ["pattern"], ["path"]), "search"],
    [of("execute_shell_command", "Execute a command.", ["command"], ["timeout"]), "run"],
    [of("execute_python_code", "Execute Python code.", ["code"], ["timeout"]), "python"],
    [of("Bash", "Runs a command.", ["command"]), "run"],
    [of("Read", "Reads a file.", ["file_path"], ["offset", "limit"]), "read"],
    [of("Edit", "Replaces text.", ["file_path", "old_string", "new_string"]), "edit"],
    [of("read_file", "Read a file.", ["path"]), "read"],
    [of("search_files", "Search files by pattern.", ["path", "pattern"]), "search"],
    [of("readFile", "Read a file.", ["path"]), "read"],
    [of("calculator", "Does sums.", ["expression"]), "compute"],
    [of("current_time", "The time.", []), "time"],
    [of("get_weather", "The weather in a city.", ["city"]), undefined],
    [of("web_search", "Searches the web.", ["query"]), undefined],
    [of("read_email", "Reads an e-mail.", ["id"]), undefined],
    [of("list_orders", "Lists orders.", []), undefined],
    [of("create_ticket", "Creates a ticket.", ["title", "body"]), undefined],
  ])("%o", (tool, verb) => {
    expect(abilityOf(tool).verb).toBe(verb)
  })

  it("tells parts of parameters from their names in any case", () => {
    expect(["filePath", "file_path", "path", "notebook_path"].map(roleOf)).toEqual(["path", "path", "path", "path"])
    expect(["dir_path", "directory", "workingDir"].map(roleOf)).toEqual(["dir", "dir", "dir"])
    expect(["oldString", "new_str", "-i", "city"].map(roleOf)).toEqual(["from", "to", "ignoreCase", "other"])
  })

  it("measures how well a tool's words answer, names first", () => {
    const weather = abilityOf(of("get_weather", "Current conditions in a city.", ["city"]))
    expect(affinity(weather, contentStems("what's the weather in Paris"))).toBeGreaterThanOrEqual(3)
    expect(affinity(weather, contentStems("conditions of the city"))).toBe(2)
    expect(affinity(weather, contentStems("my city"))).toBe(0)
  })
})
