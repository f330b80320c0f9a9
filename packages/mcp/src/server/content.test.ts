import type { MediaBlock } from "@agentscope-ts/message"
import { describe, expect, test } from "vitest"
import { contentOf, resourceBlock } from "./content.ts"

const file = (mediaType: string, data: string, name?: string): MediaBlock => ({
  type: "file",
  source: { type: "base64", mediaType, data },
  ...(name !== undefined && { name }),
})

describe("content for clients", () => {
  test("a resource is embedded as it was made, text or bytes", () => {
    expect(contentOf(resourceBlock({ uri: "a://b", text: "ü\u0000€" }))).toEqual({
      type: "resource",
      resource: { uri: "a://b", mimeType: "text/plain", text: "ü\u0000€" },
    })
    expect(contentOf(resourceBlock({ uri: "a://b", blob: new Uint8Array([0, 255]) }))).toEqual({
      type: "resource",
      resource: { uri: "a://b", mimeType: "application/octet-stream", blob: "AP8=" },
    })
    expect(contentOf(resourceBlock({ uri: "a://b", mimeType: "x/y", blob: "AP8=" }))).toMatchObject({
      resource: { blob: "AP8=" },
    })
    expect(contentOf(resourceBlock({ uri: "a://b", text: "" }))).toMatchObject({ resource: { text: "" } })
  })

  test("a large resource survives", () => {
    const blob = new Uint8Array(300_000).fill(7)
    const { resource } = contentOf(resourceBlock({ uri: "a://b", blob })) as { resource: { blob: string } }
    expect(atob(resource.blob)).toHaveLength(300_000)
  })

  test("text of a file that is no UTF-8, or no base64, stays bytes", () => {
    for (const [type, data] of [
      ["text/plain", "/w=="],
      ["application/json", "%%%"],
      ["text/plain; charset=latin1", "YQ=="],
      ["application/pdf", "YQ=="],
    ] as const) {
      expect(contentOf(file(type, data))).toMatchObject({ resource: { mimeType: type, blob: data } })
    }
    for (const type of [
      "text/csv",
      "application/json",
      "application/ld+json",
      "image/svg+xml",
      "text/html; charset=utf-8",
    ]) {
      expect(contentOf(file(type, "YQ=="))).toMatchObject({ resource: { mimeType: type, text: "a" } })
    }
  })

  test("addresses are links, data URLs are content", () => {
    const at = (url: string, mediaType?: string): MediaBlock => ({
      type: "image",
      source: { type: "url", url, ...(mediaType && { mediaType }) },
    })
    expect(contentOf(at("https://a.b/c/d.png?x=1#y"))).toEqual({
      type: "resource_link",
      uri: "https://a.b/c/d.png?x=1#y",
      name: "d.png",
    })
    expect(contentOf(at("/tmp/a b.png", "image/png"))).toEqual({
      type: "resource_link",
      uri: "file:///tmp/a%20b.png",
      name: "a%20b.png",
      mimeType: "image/png",
    })
    expect(contentOf(at("data:image/svg+xml,%3Csvg/%3E"))).toEqual({
      type: "image",
      mimeType: "image/svg+xml",
      data: btoa("<svg/>"),
    })
    expect(contentOf({ ...at("data:;base64,YQ=="), type: "file" })).toMatchObject({
      resource: { mimeType: "text/plain", text: "a" },
    })
    expect(contentOf({ ...at("data:text/plain,%zz"), type: "file" })).toMatchObject({ resource: { text: "%zz" } })
  })
})
