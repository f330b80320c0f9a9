import { type MediaForms, requireMediaType, usualMediaForms } from "@agentscope-ts/model/wire"

/** A picture as base64, which is all that Ollama takes. */
export interface OllamaImage {
  readonly base64: string
}

const imageTypes = ["image/png", "image/jpeg", "image/webp"]

/** How Ollama shows media: pictures, those of the web too, in the message itself. */
export const mediaForms = (promoteImages?: boolean): MediaForms<OllamaImage> =>
  usualMediaForms({
    kinds: ["image"],
    promoted: promoteImages ? ["image"] : [],
    sent: (_, media) => {
      requireMediaType(media, imageTypes, "image", "Ollama")
      return { base64: media.data }
    },
  })
