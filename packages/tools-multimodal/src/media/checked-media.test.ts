import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { AgentScopeError } from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import { folder, mp4, png, wav } from "../fixtures/media.ts"
import { checkedMedia, type MediaKind } from "./checked-media.ts"

const problemOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work
  } catch (error) {
    if (AgentScopeError.is(error)) return `${error.code}: ${error.message}`
    throw error
  }
  return "no error"
}
const base64 = png.toString("base64")

describe("a medium that a model names", () => {
  test.each(["https://host/a.png?x=1", "http://host/a", "oss://bucket/a.png", " https://host/a.png\n"])(
    "%j stays a URL",
    async (url) => {
      expect(await checkedMedia(url, "image", "image_url", {})).toEqual({ type: "url", url: url.trim() })
    },
  )

  test("is read from a path, a file: URL and a data: URL", async () => {
    const dir = folder({ "a b.png": png })
    const expected = { type: "base64", mediaType: "image/png", data: base64 }
    for (const url of [
      join(dir, "a b.png"),
      pathToFileURL(join(dir, "a b.png")).href,
      `data:image/png;base64,${base64}`,
    ]) {
      expect(await checkedMedia(url, "image", "image_url", {})).toEqual(expected)
    }
  })

  test("is what its bytes say, whatever its name", async () => {
    const dir = folder({
      "a.jpg": png,
      "a.png": wav(8000),
      "b.png": "root:x:0:0:root:/root",
      "a.mp3": mp4,
      "a.amr": "#!AMR\nx",
    })
    const check = (name: string, kind: MediaKind) => checkedMedia(join(dir, name), kind, "url", {})
    expect(await check("a.jpg", "image")).toMatchObject({ mediaType: "image/png" })
    expect(await check("a.mp3", "audio")).toMatchObject({ mediaType: "video/mp4" })
    expect(await check("a.amr", "audio")).toMatchObject({ mediaType: "audio/amr" })
    expect(await problemOf(check("a.png", "image"))).toMatch(
      /invalid_argument: url has to be an image, but .* is of type audio\/wav/,
    )
    expect(await problemOf(check("b.png", "image"))).toMatch(/something else by its bytes/)
    expect(await problemOf(check("a.jpg", "video"))).toMatch(/has to be a video/)
  })

  test.each([
    ["", "is empty"],
    ["ftp://host/a.png", "ftp: URLs are not taken"],
    ["javascript:alert(1)", "javascript: URLs are not taken"],
    ["http://", "is no URL"],
    ["data:image/png;base64", "comma"],
    ["data:image/png;base64,!!!", "base64"],
    ["none.png", "no such file"],
    ["file://elsewhere/a.png", "no file: URL of this machine"],
    ["file:///a%zz.png", "no file: URL of this machine"],
    ["/dev/zero", "is no file"],
    [import.meta.dirname, "is no file"],
  ])("%j is refused", async (url, text) => {
    const problem = await problemOf(checkedMedia(url, "image", "image_url", {}))
    expect(problem).toMatch(/^invalid_(?:argument|request)/)
    expect(problem).toContain(text)
  })
})

describe("with a root", () => {
  test("only files inside it are read, links followed", async () => {
    const dir = folder({ "outside.png": png })
    const root = join(dir, "root")
    mkdirSync(join(root, "in"), { recursive: true })
    mkdirSync(join(dir, "root-other"))
    writeFileSync(join(root, "in", "a.png"), png)
    writeFileSync(join(dir, "root-other", "a.png"), png)
    symlinkSync(join(dir, "outside.png"), join(root, "link.png"))
    symlinkSync(dir, join(root, "up"))
    symlinkSync(join(root, "in", "a.png"), join(root, "inner.png"))
    const check = (url: string) => problemOf(checkedMedia(url, "image", "image_url", { root }))
    for (const url of [
      "in/a.png",
      join(root, "in/a.png"),
      "in/../in/a.png",
      "inner.png",
      pathToFileURL(join(root, "in/a.png")).href,
    ]) {
      expect(await check(url)).toBe("no error")
    }
    const outside = [
      "../outside.png",
      join(dir, "outside.png"),
      "link.png",
      "up/outside.png",
      join(dir, "root-other/a.png"),
      "/etc/none",
      "../none",
      pathToFileURL(join(dir, "outside.png")).href,
    ]
    for (const url of outside) expect(await check(url)).toMatch(/^outside_root: /)
    expect(await check("in/none.png")).toMatch(/^invalid_argument: .*no such file/)
    expect(await check("https://host/a.png")).toBe("no error")
  })

  test("that is no folder nothing is read, and it is said", async () => {
    expect(await problemOf(checkedMedia("a.png", "image", "image_url", { root: "/none/at/all" }))).toMatch(
      /^invalid_argument: The root "\/none\/at\/all" of this tool/,
    )
  })
})
