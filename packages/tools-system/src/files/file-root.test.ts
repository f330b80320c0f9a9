import { chmodSync, mkdirSync, symlinkSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { TempFolder } from "../fixtures/temp-folder.ts"
import { FileRoot } from "./file-root.ts"

/** A root `p` with neighbours that must stay out of reach. */
function scene() {
  const folder = new TempFolder({
    "p/a.txt": "a",
    "p/sub/b.txt": "b",
    "p-evil/x": "evil",
    "outside/secret.txt": "secret",
    "p/file": "f",
  })
  const root = new FileRoot(folder.at("p"))
  symlinkSync(folder.at("outside"), folder.at("p/link"))
  symlinkSync(folder.at("outside/secret.txt"), folder.at("p/filelink"))
  symlinkSync(folder.at("outside/new.txt"), folder.at("p/dangling"))
  symlinkSync("sub", folder.at("p/inner"))
  symlinkSync("loop", folder.at("p/loop"))
  symlinkSync("link/deeper", folder.at("p/chain"))
  symlinkSync("../outside", folder.at("p/sub/up"))
  return { folder, root }
}

const codeOf = (act: () => unknown): string => {
  try {
    act()
    return "none"
  } catch (error) {
    return (error as { code: string }).code
  }
}

describe("FR-44 a path is inside the root by its real path", () => {
  it.each([
    ["a.txt", "a.txt"],
    ["./sub/../a.txt", "a.txt"],
    ["sub/b.txt", "sub/b.txt"],
    ["inner/b.txt", "sub/b.txt"],
    ["new.txt", "new.txt"],
    ["x/y/z.txt", "x/y/z.txt"],
    ["inner/new.txt", "sub/new.txt"],
    ["..x", "..x"],
    [".", "."],
    ["sub/..", "."],
    ["link/../a.txt", "a.txt"],
  ])("%s leads to %s", (path, shown) => {
    const { root, folder } = scene()
    const located = root.locate(path)
    expect(located.shown).toBe(shown)
    expect(located.path).toBe(shown === "." ? folder.at("p") : folder.at(`p/${shown}`))
  })

  it.each([
    "..",
    "../p-evil/x",
    "../outside/secret.txt",
    "sub/../../outside/secret.txt",
    "/etc/passwd",
    "/etc/no-such-file",
    "/no/such/folder",
    "link",
    "link/secret.txt",
    "link/new.txt",
    "link/new/folder/file.txt",
    "filelink",
    "dangling",
    "dangling/x",
    "chain",
    "chain/x.txt",
    "sub/up/secret.txt",
    "inner/up/x/y",
    "../p/../outside",
    "/proc/self/root/etc/passwd",
  ])("%s is outside", (path) => {
    const { root } = scene()
    expect(codeOf(() => root.locate(path))).toBe("outside_root")
  })

  it("takes absolute paths inside, written through the root or its real path", () => {
    const { folder } = scene()
    symlinkSync(folder.at("p"), folder.at("alias"))
    const root = new FileRoot(folder.at("alias"))
    for (const path of [folder.at("alias/a.txt"), folder.at("p/a.txt"), "a.txt"]) {
      expect(root.locate(path)).toMatchObject({ path: folder.at("p/a.txt"), shown: "a.txt", exists: true })
    }
    expect(root.locate(folder.at("p/none/yet"))).toMatchObject({ shown: "none/yet", exists: false })
    expect(codeOf(() => root.locate(folder.at("alias/../outside/secret.txt")))).toBe("outside_root")
    expect(codeOf(() => root.locate(folder.at("p-evil/x")))).toBe("outside_root")
  })

  it("says the same of what is outside, whether it exists or not", () => {
    const { root, folder } = scene()
    const said = ["../outside/secret.txt", "../outside/none", "../p-evil/x/deeper", "/etc/passwd/x"].map((path) => {
      try {
        root.locate(path)
        return "found"
      } catch (error) {
        return (error as Error).message.replace(path, "PATH")
      }
    })
    expect(new Set(said).size).toBe(1)
    expect(said[0]).toContain("outside the root folder")
    expect(said[0]).not.toContain(folder.path)
  })

  it("tells wrong paths inside apart", () => {
    const { root } = scene()
    expect(codeOf(() => root.locate("file/below"))).toBe("not_a_folder")
    expect(codeOf(() => root.locate("loop/x"))).toBe("io_error")
    expect(codeOf(() => root.locate(""))).toBe("invalid_argument")
    expect(codeOf(() => root.locate("a\0.txt"))).toBe("invalid_argument")
    expect(codeOf(() => root.locate("y".repeat(300)))).toBe("io_error")
  })

  it("finds a root that appears later, and says when there is none", () => {
    const folder = new TempFolder()
    const root = new FileRoot(folder.at("later"))
    expect(codeOf(() => root.locate("x"))).toBe("not_found")
    mkdirSync(folder.at("later"))
    expect(root.locate("x").exists).toBe(false)
  })

  it("never lets a random path out", () => {
    const { root, folder } = scene()
    const names = ["..", ".", "link", "inner", "sub", "up", "a.txt", "p-evil", "p", "outside", "x", "", "filelink"]
    let seed = 7
    const next = () => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31)
    for (let i = 0; i < 3000; i++) {
      const path = Array.from({ length: 1 + (next() % 6) }, () => names[next() % names.length]).join("/")
      let located: string | undefined
      const code = codeOf(() => {
        located = root.locate(path).path
      })
      if (located === undefined) expect(code).toMatch(/^(?:outside_root|not_a_folder|invalid_argument)$/)
      else expect(`${located}/`.startsWith(`${folder.at("p")}/`)).toBe(true)
    }
  })
})

describe("what is to be written", () => {
  it("is not the root and not inside .git or .ssh", () => {
    const { root, folder } = scene()
    mkdirSync(folder.at("p/.git"))
    symlinkSync(".git", folder.at("p/innocent"))
    expect(codeOf(() => root.locateForWriting("."))).toBe("not_a_file")
    expect(codeOf(() => root.locateForWriting(".git/hooks/pre-commit"))).toBe("protected_path")
    expect(codeOf(() => root.locateForWriting("innocent/config"))).toBe("protected_path")
    expect(codeOf(() => root.locateForWriting("vendor/.git"))).toBe("protected_path")
    expect(root.locateForWriting(".gitignore").shown).toBe(".gitignore")
  })

  it.skipIf(process.getuid?.() === 0)("is said to be unreachable without the permission", () => {
    const { root, folder } = scene()
    chmodSync(folder.at("p/sub"), 0)
    expect(codeOf(() => root.locate("sub/b.txt"))).toBe("io_error")
    chmodSync(folder.at("p/sub"), 0o755)
  })
})
