// The wire formats that the loopback model speaks, by name and by where their requests go.
import * as anthropic from "./anthropic.mjs"
import * as chat from "./chat.mjs"
import * as dashscope from "./dashscope.mjs"
import * as gemini from "./gemini.mjs"
import * as ollama from "./ollama.mjs"
import * as responses from "./responses.mjs"

export const wires = { chat, responses, anthropic, gemini, dashscope, ollama }

/** The wire of a request's path. */
export function wireAt(path) {
  if (path.includes("/v1beta/models/")) return gemini
  const wire = [responses, anthropic, dashscope, ollama].find((one) => path.endsWith(one.pathOf()))
  return wire ?? chat
}
