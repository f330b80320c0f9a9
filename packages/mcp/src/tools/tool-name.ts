import { createHash } from "node:crypto"

const longest = 64
const fits = /^[A-Za-z0-9_-]+$/

/** A short mark of a text: 8 hexadecimal digits. */
function markOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8)
}

const fitted = (text: string): string => text.replaceAll(/[^A-Za-z0-9_-]/g, "_")

/**
 * `mcp__SERVER__TOOL`: the same for the same two names, and different for others. Where it can be read back by itself
 * (letters that every provider takes, at most 64, one way to part it) it is just that; otherwise it ends in a mark made
 * from both names, and the tool's `mcp` has them.
 */
export function prefixedName(server: string, tool: string): string {
  const isPlain = fits.test(server) && fits.test(tool) && !/__|_$/.test(server) && !tool.startsWith("_")
  const plain = `mcp__${server}__${tool}`
  if (isPlain && plain.length <= longest && !/_x[0-9a-f]{8}$/.test(tool)) return plain
  const end = `_x${markOf(JSON.stringify([server, tool]))}`
  return `mcp__${fitted(server).slice(0, 20)}__${fitted(tool)}`.slice(0, longest - end.length) + end
}
