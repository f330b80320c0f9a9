import { AgentScopeError } from "@agentscope-ts/message"
import { modelError } from "@agentscope-ts/model"

/** An error of a call with what to do about it, where Ollama is known to mean more than the wire says. */
export function advised(error: unknown, model: string, baseURL: string): unknown {
  if (AgentScopeError.is(error, "network") && error.details["code"] === "ECONNREFUSED") {
    const message = `No Ollama answers at ${baseURL}: start it with \`ollama serve\`, or say where it runs (baseURL, or the environment variable OLLAMA_HOST).`
    return modelError({ code: "network", message, cause: error, details: error.details })
  }
  const isMissing = AgentScopeError.is(error, "not_found") || AgentScopeError.is(error, "server_error")
  if (!isMissing || !/model .*(?:not found|pulling)/i.test(error.message)) return error
  const message = `Ollama has no model "${model}": get it with \`ollama pull ${model}\`, or take one that \`ollama list\` shows.`
  return modelError({ code: "not_found", message, cause: error, details: error.details })
}
