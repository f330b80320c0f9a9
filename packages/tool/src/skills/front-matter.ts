import { toolError } from "../error.ts"

/** A markdown file in two: the fields at its beginning, and the rest. */
export interface FrontMatter {
  readonly fields: Readonly<Record<string, unknown>>
  readonly body: string
}

/**
 * Splits a markdown file at its front matter: YAML between two lines of `---`, the first of which begins the file. Every
 * scalar is a text (`name: 42` is `"42"`). `where` is for messages. Throws `invalid_skill`.
 */
export async function frontMatter(text: string, where: string): Promise<FrontMatter> {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/)
  const end = lines.findIndex((line, i) => i > 0 && /^(?:---|\.\.\.)\s*$/.test(line))
  if (!/^---\s*$/.test(lines[0] ?? "") || end < 0) {
    const message = `${where} has no front matter: begin it with lines of "---", "name: …", "description: …" and "---".`
    throw toolError("invalid_skill", message)
  }
  const { parse } = await import("yaml")
  let fields: unknown
  try {
    fields = parse(lines.slice(1, end).join("\n"), { schema: "failsafe", logLevel: "error" })
  } catch (cause) {
    const why = (cause as Error).message.split("\n")[0]
    const message = `The front matter of ${where} is no YAML: ${why} A text with ": " or "#" in it belongs in quotes.`
    throw toolError("invalid_skill", message, { cause })
  }
  if (typeof fields !== "object" || fields === null || Array.isArray(fields)) {
    throw toolError(
      "invalid_skill",
      `The front matter of ${where} has no fields: give it "name: …" and "description: …".`,
    )
  }
  return {
    fields: fields as Record<string, unknown>,
    body: lines
      .slice(end + 1)
      .join("\n")
      .trim(),
  }
}
