import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { scriptedServer } from "@agentscope-ts/fixtures"
import { replaceAmbient } from "@agentscope-ts/message"
import { afterAll, describe, expect, it, vi } from "vitest"
import { base64Of, dataUrl, inlineMedia, isInMemory, isWebUrl, loadMedia, requireMediaType } from "./media.ts"
import { saveMediaFile } from "./save-media.ts"
import { mediaTypeOfName, normalMediaType, sniffMediaType } from "./sniff.ts"

const dir = mkdtempSync(join(tmpdir(), "media-"))
afterAll(() => rmSync(dir, { recursive: true }))

const latin = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0))
const png = base64Of(latin("\x89PNG\r\n\x1a\n rest"))
const url = (url: string, mediaType?: string) => ({ type: "url", url, ...(mediaType && { mediaType }) }) as const
const invalid = expect.objectContaining({ code: "invalid_request" }) as Error

describe("sniffMediaType", () => {
  it.each([
    ["\x89PNG\r\n\x1a\n", "image/png"],
    ["\xff\xd8\xff\xe0", "image/jpeg"],
    ["GIF89a", "image/gif"],
    ["RIFF\0\0\0\0WEBPVP8 ", "image/webp"],
    ["RIFF\0\0\0\0WAVEfmt ", "audio/wav"],
    ["ID3\x04", "audio/mpeg"],
    ["\xff\xfb\x90\x44", "audio/mpeg"],
    ["\xff\xf3\x40\xc4", "audio/mpeg"],
    ["fLaC", "audio/flac"],
    ["OggS", "audio/ogg"],
    ["\0\0\0\x20ftypM4A ", "audio/mp4"],
    ["\0\0\0\x20ftypisom", "video/mp4"],
    ["\0\0\0\x14ftypqt  ", "video/quicktime"],
    ["\0\0\x0a\x2cmoov", "video/quicktime"],
    ["\0\0\0\x1cftyp3gp5", "video/3gpp"],
    ["\0\0\0\x18ftypheix", "image/heic"],
    ["\0\0\0\x18ftypavis", "image/avif"],
    ["\0\0\0\x1cftypheic", "image/heic"],
    ["\0\0\0\x1cftypavif", "image/avif"],
    ["BM", "image/bmp"],
    ["II*\0", "image/tiff"],
    ["\x1aE\xdf\xa3", "video/webm"],
    ["%PDF-1.7", "application/pdf"],
    ["<svg xmlns='x'/>", "image/svg+xml"],
    ['<?xml version="1.0"?>\n<!-- by hand -->\n<!DOCTYPE svg PUBLIC "x">\n<svg>', "image/svg+xml"],
  ])("knows %j", (head, mediaType) => {
    expect(sniffMediaType(latin(head))).toBe(mediaType)
  })

  it.each(["", "fake image content", "<html><svg>", "RIFF\0\0\0\0AVI ", "\xff\xfe", "\xff\xff\xff\xff"])(
    "does not know %j",
    (head) => {
      expect(sniffMediaType(latin(head))).toBeUndefined()
    },
  )
})

it("gives media types their registered names", () => {
  expect(normalMediaType("image/JPG; q=1")).toBe("image/jpeg")
  expect(normalMediaType("audio/x-wav")).toBe("audio/wav")
  expect(normalMediaType("text/plain")).toBe("text/plain")
  expect(mediaTypeOfName("/a/b.PNG")).toBe("image/png")
  expect(mediaTypeOfName("https://h/a.mp3?x=.png")).toBe("audio/mpeg")
  expect(mediaTypeOfName("/a.png/b")).toBeUndefined()
})

describe("inlineMedia", () => {
  it("is there for data in memory only", () => {
    expect(inlineMedia(url("https://h/a.png"), "image")).toBeUndefined()
    expect(inlineMedia(url("/a.png"), "image")).toBeUndefined()
    expect([isInMemory(url("DATA:,x")), isWebUrl(url("HTTPS://h")), isWebUrl(url("/http:"))]).toEqual([
      true,
      true,
      false,
    ])
  })

  it("reads data URLs of both kinds", () => {
    expect(inlineMedia(url(`data:image/jpeg;base64,${png}`), "image")).toEqual({ mediaType: "image/png", data: png })
    const text = { mediaType: "text/plain", data: base64Of(new TextEncoder().encode("a é")) }
    expect(inlineMedia(url("data:text/plain;charset=utf-8,a%20%C3%A9"), "file")).toEqual(text)
    expect(() => inlineMedia(url("data:image/png"), "image")).toThrow("a data: URL has a comma before its data")
  })

  it("puts base64 right that was broken into lines or made for URLs", () => {
    const bytes = Uint8Array.from({ length: 60 }, (_, i) => 250 - i)
    const data = base64Of(bytes)
    const odd = data
      .replaceAll("+", "-")
      .replaceAll("/", "_")
      .replace(/(.{20})/g, "$1\r\n")
    expect(inlineMedia({ type: "base64", mediaType: "image/png", data: odd }, "image")?.data).toBe(data)
    expect(() => inlineMedia({ type: "base64", mediaType: "image/png", data: "" }, "image")).toThrow("it is empty")
    expect(() => inlineMedia({ type: "base64", mediaType: "image/png", data: "%%%" }, "image")).toThrow(invalid)
  })
})

describe("loadMedia", () => {
  it("fetches web URLs, through a tape where there is one", async () => {
    await using server = await scriptedServer((response, { url }) => {
      response.writeHead(url?.startsWith("/missing") ? 404 : 200, { "content-type": "audio/x-wav" })
      response.end(url === "/png" ? Buffer.from(png, "base64") : "sound")
    })
    expect(await loadMedia(url(`${server.url}/png`), "image")).toEqual({ mediaType: "image/png", data: png })
    expect((await loadMedia(url(`${server.url}/x`), "audio")).mediaType).toBe("audio/wav")
    await expect(loadMedia(url(`${server.url}/missing?key=s`), "image")).rejects.toThrow(
      `The image ${JSON.stringify(`${server.url}/missing`)} cannot be read: the server answered 404.`,
    )
    const restore = replaceAmbient({ transport: () => () => Promise.resolve(new Response("taped")) })
    try {
      expect((await loadMedia(url("https://h/a.txt"), "file")).data).toBe(base64Of(latin("taped")))
    } finally {
      restore()
    }
  })

  it("makes a web that cannot be reached a network error", async () => {
    await expect(loadMedia(url("http://127.0.0.1:9/a.png"), "image")).rejects.toMatchObject({
      code: "network",
      retryable: true,
    })
  })

  it("refuses what is too large, in files and from the web", async () => {
    const file = join(dir, "big.png")
    writeFileSync(file, "")
    truncateSync(file, 65 * 1024 * 1024)
    await expect(loadMedia(url(file), "image")).rejects.toThrow("it is larger than")
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(4_000_000)),
    })
    const restore = replaceAmbient({ transport: () => () => Promise.resolve(new Response(endless)) })
    try {
      await expect(loadMedia(url("https://h/a.png"), "image")).rejects.toThrow("it is larger than")
    } finally {
      restore()
    }
  })

  it("says that a runtime without files has none", async () => {
    vi.stubGlobal("process", undefined)
    try {
      await expect(loadMedia(url("/a.png"), "image")).rejects.toThrow("this runtime has no files")
      await expect(saveMediaFile({ mediaType: "image/png", data: png })).rejects.toMatchObject({ code: "unsupported" })
    } finally {
      vi.unstubAllGlobals()
    }
  })
})

it("says which types a wire takes", () => {
  const media = { mediaType: "image/bmp", data: "" }
  expect(() => requireMediaType(media, ["image/png"], "image", "This wire")).toThrow(
    "This wire takes no image of type image/bmp, only image/png",
  )
  expect(dataUrl({ mediaType: "a/b", data: "AA==" })).toBe("data:a/b;base64,AA==")
})

it("saves the same bytes to the same file, for the user only", async () => {
  const data = base64Of(latin(`one of a kind ${Math.random()}`))
  const path = await saveMediaFile({ mediaType: "image/svg+xml; q=1", data })
  expect(path).toMatch(/\.svg$/)
  expect(readFileSync(path).toString("base64")).toBe(data)
  writeFileSync(path, "damaged")
  expect(await saveMediaFile({ mediaType: "image/svg+xml", data })).toBe(path)
  expect(readFileSync(path).toString("base64")).toBe(data)
  const { statSync } = await import("node:fs")
  if (process.platform !== "win32") expect(statSync(path).mode & 0o077).toBe(0)
  rmSync(path)
})

describe("media that cannot be had", () => {
  it("by URL: the message says why, not only that the fetch failed", async () => {
    const at = (host: string) => loadMedia(url(`http://${host}/a.png`), "image")
    await expect(at("127.0.0.1:1")).rejects.toMatchObject({
      code: "network",
      message: expect.stringMatching(
        /"http:\/\/127\.0\.0\.1:1\/a\.png" could not be fetched: .*(?:ECONNREFUSED|bad port)/,
      ) as string,
    })
    const failing = (cause: unknown) => () => Promise.reject(new TypeError("fetch failed", { cause }))
    const lookup = Object.assign(new Error("getaddrinfo ENOTFOUND nowhere"), { code: "ENOTFOUND" })
    const refused = Object.assign(new AggregateError([new Error("connect ECONNREFUSED ::1:9")], ""), {
      code: "ECONNREFUSED",
    })
    const wordless = Object.assign(new Error(""), { code: "ECONNRESET" })
    for (const [cause, why] of [
      [lookup, "could not be fetched: getaddrinfo ENOTFOUND nowhere."],
      [refused, "could not be fetched: connect ECONNREFUSED ::1:9."],
      [wordless, "could not be fetched: fetch failed (ECONNRESET)."],
    ] as const) {
      await expect(loadMedia(url("http://x/a.png"), "image", { fetch: failing(cause) })).rejects.toThrow(why)
    }
  })

  it("by path: the message has the place that was looked at", async () => {
    const missing = (path: string) => expect(loadMedia(url(path), "image")).rejects
    await missing("no/such.png").toThrow(
      `"no/such.png" cannot be read: there is no such file (${resolve("no/such.png")}).`,
    )
    await missing("~/such.png").toThrow(`(${resolve("~/such.png")}); "~" is no folder here: give the whole path.`)
    await missing(join(dir, "such.png")).toThrow("cannot be read: there is no such file.")
    await missing(`file://${dir}/such.png`).toThrow(`there is no such file (${join(dir, "such.png")})`)
  })
})
