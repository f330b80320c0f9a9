import type { MediaBlock, ToolResultBlock } from "@agentscope-ts/message"
import { expect, it } from "vitest"
import { promotedParts } from "./promoted-parts.ts"

const result: ToolResultBlock = { type: "tool_result", id: "1", name: "look", output: [], state: "success" }
const block: MediaBlock = { type: "image", source: { type: "url", url: "u" } }
const forms = { text: (text: string) => text, part: ({ url }: { url: string }) => (url === "none" ? undefined : url) }

it("shows the media between tags, and nothing where none has a form", () => {
  expect(
    promotedParts(
      result,
      [
        { block, url: "a" },
        { block, url: "none" },
      ],
      forms,
    ),
  ).toEqual([
    "<system-info>The following are the image contents from the tool result of 'look':",
    "\n- The image from 'a': ",
    "a",
    "</system-info>",
  ])
  expect(promotedParts(result, [{ block, url: "none" }], forms)).toEqual([])
  expect(promotedParts(result, [{ block, url: "a" }], { ...forms, what: "media" })[0]).toContain("media contents")
})
