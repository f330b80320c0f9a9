// The AI SDK with its OpenAI-compatible provider. Not a dependency of this repository: installed beside this file on request.
export const needs = {
  installed: () =>
    Promise.all([import("ai"), import("@ai-sdk/openai-compatible")]).then(
      () => true,
      () => false,
    ),
  install:
    "npm install --prefix tooling/bench/peers --no-save --no-package-lock ai@7 @ai-sdk/openai-compatible@3 zod@4",
}

export async function open({ url, tools }) {
  const { generateText, jsonSchema, stepCountIs, streamText, tool } = await import("ai")
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible")
  const provider = createOpenAICompatible({ name: "bench", baseURL: url, apiKey: "bench", includeUsage: true })
  const set = Object.fromEntries(
    tools.map(({ name, description, input, parameters, execute }) => [
      name,
      tool({ description, inputSchema: input ?? jsonSchema(parameters), execute }),
    ]),
  )
  return {
    agent(modelName, { stream, onDelta }) {
      const messages = []
      const model = provider(modelName)
      const settings = () => ({
        model,
        system: "You are a helpful assistant.",
        messages,
        tools: set,
        stopWhen: stepCountIs(10_000),
        maxRetries: 2,
      })
      return {
        session: messages,
        async run(prompt) {
          messages.push({ role: "user", content: prompt })
          if (!stream) {
            const result = await generateText(settings())
            messages.push(...result.response.messages)
            return result.text
          }
          const result = streamText(settings())
          for await (const text of result.textStream) onDelta?.(text)
          messages.push(...(await result.response).messages)
          return result.text
        },
      }
    },
  }
}
