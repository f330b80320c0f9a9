import { describe, expect, it } from "vitest"
import { imageType } from "./image-type.ts"
import { decodeExactly, encode, sniff } from "./text-encoding.ts"

const bytes = (...values: number[]) => Uint8Array.from(values)

describe("the encoding of a file", () => {
  it("is told by its byte order mark, and a NUL makes it binary", () => {
    expect(sniff(bytes(0x61, 0x62))).toEqual({ encoding: "utf-8", bom: 0 })
    expect(sniff(bytes(0xef, 0xbb, 0xbf, 0x61))).toEqual({ encoding: "utf-8", bom: 3 })
    expect(sniff(bytes(0xff, 0xfe, 0x61, 0))).toEqual({ encoding: "utf-16le", bom: 2 })
    expect(sniff(bytes(0xfe, 0xff, 0, 0x61))).toEqual({ encoding: "utf-16be", bom: 2 })
    expect(sniff(bytes(0xff, 0xfe, 0, 0)).encoding).toBe("binary")
    expect(sniff(bytes(0x61, 0, 0x62)).encoding).toBe("binary")
    expect(sniff(bytes())).toEqual({ encoding: "utf-8", bom: 0 })
  })

  it.each(["utf-8", "utf-16le", "utf-16be"] as const)("%s survives decoding and encoding", (encoding) => {
    for (const text of ["", "a\r\nb", "你好🌍", "\ufeffinner mark"]) {
      for (const bom of encoding === "utf-8" ? [0, 3] : [2]) {
        const stored = encode(text, { encoding, bom })
        if (text.startsWith("\ufeff") && bom === 0) continue // that is a mark
        expect(sniff(stored)).toEqual({ encoding, bom })
        expect(decodeExactly(stored, sniff(stored), "f")).toBe(text)
      }
    }
  })

  it("that is broken is refused where it would be written back", () => {
    expect(() => decodeExactly(bytes(0x61, 0xff, 0x62), { encoding: "utf-8", bom: 0 }, "f.txt")).toThrowError(
      /"f.txt" is not valid UTF-8/,
    )
    expect(() => decodeExactly(bytes(0xff, 0xfe, 0x61), { encoding: "utf-16le", bom: 2 }, "f.txt")).toThrowError(
      /UTF-16LE/,
    )
  })
})

describe("the type of an image", () => {
  it("is told by its first bytes", () => {
    expect(imageType(Buffer.from("\x89PNG\r\n\x1a\nrest", "latin1"))).toBe("image/png")
    expect(imageType(bytes(0xff, 0xd8, 0xff, 0xe0))).toBe("image/jpeg")
    expect(imageType(Buffer.from("GIF89a"))).toBe("image/gif")
    expect(imageType(Buffer.from("RIFF\0\0\0\0WEBPVP8 "))).toBe("image/webp")
    expect(imageType(Buffer.from("GIF8"))).toBeUndefined()
    expect(imageType(Buffer.from("<svg>"))).toBeUndefined()
  })
})
