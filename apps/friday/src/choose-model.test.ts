import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { chooseModel, setup } from "./choose-model.ts"
import { providers } from "./providers.ts"

const everyKey = Object.fromEntries(providers.flatMap(({ keys }) => keys).map((key) => [key, "k"]))
/** Nobody's Ollama may decide a test. */
const alone = { CI: "1" }

// the models read their keys from the process's own environment
beforeEach(() => {
  for (const key of Object.keys(everyKey)) vi.stubEnv(key, "k")
})
afterEach(() => {
  vi.unstubAllEnvs()
})

describe("the choice of a model", () => {
  it("takes the first key that is there", async () => {
    expect(await chooseModel(everyKey)).toMatchObject({
      model: { provider: "openai", model: "gpt-5-mini" },
      offline: false,
    })
    expect(await chooseModel({ OPENAI_API_KEY: "", DEEPSEEK_API_KEY: "k" })).toMatchObject({
      model: { provider: "deepseek", model: "deepseek-chat" },
    })
    expect(await chooseModel(everyKey, "gpt-x")).toMatchObject({
      model: { provider: "openai", model: "gpt-x" },
      label: "gpt-x, OpenAI",
    })
  })

  it.each(providers.flatMap(({ keys, ...provider }) => keys.map((key) => ({ ...provider, key }))))(
    "finds $label by $key, and by its name",
    async ({ name, key, label, model }) => {
      const own = { model: { provider: name, model }, label: `${model}, ${label}`, offline: false }
      expect(await chooseModel({ [key]: "k" })).toMatchObject(own)
      expect(await chooseModel(everyKey, name)).toMatchObject(own)
      expect(await chooseModel(everyKey, `${name}:v9:x`)).toMatchObject({ model: { provider: name, model: "v9:x" } })
      await expect(chooseModel(alone, `${name}:x`)).rejects.toThrow(new RegExp(`^--model ${name}:x: .* Set .*${key}`))
      expect(setup).toMatch(new RegExp(`^export ${name.toUpperCase()}_API_KEY=… +# ${label}$`, "m"))
    },
  )

  it("is the offline model where there is nothing else, or where it is asked for", async () => {
    expect(await chooseModel(alone)).toMatchObject({ model: { provider: "offline" }, offline: true })
    expect(await chooseModel(everyKey, "offline")).toMatchObject({ offline: true })
  })

  it("is an error where a model is asked for without any key", async () => {
    await expect(chooseModel(alone, "gpt-x")).rejects.toMatchObject({ code: "usage" })
    await expect(chooseModel(alone, "gpt-x")).rejects.toThrow(/OPENAI_API_KEY, ANTHROPIC_API_KEY.*--model offline/)
  })
})

describe("a provider's name misspelt", () => {
  it.each([
    ["anthropc:claude", "anthropic:claude"],
    ["Anthropic", "anthropic"],
    ["gemni", "gemini"],
    ["openrouter-ai:x", undefined],
    ["olama:qwen3:8b", "ollama:qwen3:8b"],
    ["ofline", "offline"],
    ["gpt-x", undefined],
    ["ft:gpt-4o:acme", undefined],
    ["llama3:8b", undefined],
    ["claude", undefined],
  ])("%s is told, and is no model's", async (wanted, meant) => {
    const chosen = chooseModel({ OPENAI_API_KEY: "k" }, wanted)
    if (meant === undefined) return expect((await chosen).model).toMatchObject({ provider: "openai", model: wanted })
    await expect(chosen).rejects.toMatchObject({ code: "usage" })
    await expect(chosen).rejects.toThrow(`--model ${wanted}: no such provider. Did you mean ${meant}?`)
    // without a key it is the first thing to know too
    await expect(chooseModel(alone, wanted)).rejects.toThrow(`Did you mean ${meant}?`)
  })
})

describe("a running Ollama", () => {
  let server: Server
  let host: string
  let installed: readonly object[]

  beforeEach(async () => {
    server = createServer((_, response) => {
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify({ models: installed }))
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    host = `127.0.0.1:${(server.address() as AddressInfo).port}`
    installed = [
      { name: "embed:latest", capabilities: ["embedding"] },
      { name: "gemma3:4b", capabilities: ["completion", "vision"] },
      { name: "qwen3:8b", capabilities: ["completion", "tools"] },
    ]
  })
  afterEach(() => new Promise<void>((resolve) => server.close(() => resolve())))

  it("is taken without a key, with a model that can call tools", async () => {
    const found = { model: { provider: "ollama", model: "qwen3:8b" }, label: "qwen3:8b, Ollama", offline: false }
    expect(await chooseModel({ OLLAMA_HOST: host })).toMatchObject(found)
    expect(await chooseModel({ OLLAMA_HOST: host, CI: "1" }, "ollama")).toMatchObject(found)
    installed = installed.slice(0, 2)
    expect(await chooseModel({ OLLAMA_HOST: host })).toMatchObject({ model: { model: "gemma3:4b" } })
    installed = [{ name: "old" }]
    expect(await chooseModel({ OLLAMA_HOST: host })).toMatchObject({ model: { model: "old" } })
  })

  it("is left alone where there is a key, where CI is set, and where it has nothing to talk to", async () => {
    expect(await chooseModel({ OLLAMA_HOST: host, GROQ_API_KEY: "k" })).toMatchObject({ model: { provider: "groq" } })
    expect(await chooseModel({ OLLAMA_HOST: host, CI: "true" })).toMatchObject({ offline: true })
    expect(await chooseModel({ OLLAMA_HOST: host }, "offline")).toMatchObject({ offline: true })
    installed = installed.slice(0, 1)
    expect(await chooseModel({ OLLAMA_HOST: host })).toMatchObject({ offline: true })
    await expect(chooseModel({ OLLAMA_HOST: host }, "ollama")).rejects.toThrow(/no model to talk to/)
  })

  it("serves the model that is asked for", async () => {
    expect(await chooseModel({ OLLAMA_HOST: host }, "llama3.2:3b")).toMatchObject({
      model: { provider: "ollama", model: "llama3.2:3b" },
    })
    expect(await chooseModel({ ...everyKey, OLLAMA_HOST: host }, "ollama:llama3.2:3b")).toMatchObject({
      model: { provider: "ollama", model: "llama3.2:3b" },
    })
  })

  it("may have a model of a name that is like a provider's", async () => {
    installed = [{ name: "mixtral:latest", capabilities: ["tools"] }]
    expect(await chooseModel({ OLLAMA_HOST: host }, "mixtral")).toMatchObject({ model: { model: "mixtral" } })
    await expect(chooseModel({ OLLAMA_HOST: host }, "anthropc:claude")).rejects.toThrow(/Did you mean anthropic:claude/)
  })

  it("is missed with a word where somebody said where it is", async () => {
    expect(await chooseModel({ OLLAMA_HOST: host, CI: "1" })).not.toHaveProperty("note")
    expect(await chooseModel({ OLLAMA_HOST: host }, "offline")).not.toHaveProperty("note")
    installed = []
    expect((await chooseModel({ OLLAMA_HOST: host })).note).toMatch(`${host} (OLLAMA_HOST) has no model to talk to`)
    await new Promise<void>((resolve) => server.close(() => resolve()))
    expect((await chooseModel({ OLLAMA_HOST: host })).note).toMatch(`No Ollama answers at ${host} (OLLAMA_HOST)`)
    server.listen(0)
  })

  it("is missed with a word on how to start it", async () => {
    await new Promise<void>((resolve) => server.close(() => resolve()))
    await expect(chooseModel({ OLLAMA_HOST: host }, "ollama")).rejects.toThrow(`no Ollama answers at ${host}`)
    expect(await chooseModel({ OLLAMA_HOST: host })).toMatchObject({ offline: true })
    server.listen(0)
  })
})
