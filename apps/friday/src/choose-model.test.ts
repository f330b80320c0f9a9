import { describe, expect, it } from "vitest"
import { chooseModel, setup } from "./choose-model.ts"

// the models read their keys from the process's own environment when they are called, not when they are made
const keys = { OPENAI_API_KEY: "k", DEEPSEEK_API_KEY: "k" }

describe("the choice of a model", () => {
  it("takes the first key that is there", async () => {
    process.env["OPENAI_API_KEY"] = process.env["DEEPSEEK_API_KEY"] = "k"
    try {
      expect(await chooseModel(keys)).toMatchObject({
        model: { provider: "openai", model: "gpt-5-mini" },
        offline: false,
      })
      expect(await chooseModel({ DEEPSEEK_API_KEY: "k" })).toMatchObject({
        model: { provider: "deepseek", model: "deepseek-chat" },
      })
      expect(await chooseModel({ OPENAI_API_KEY: "", DEEPSEEK_API_KEY: "k" })).toMatchObject({
        model: { provider: "deepseek" },
      })
      expect(await chooseModel(keys, "gpt-x")).toMatchObject({
        model: { provider: "openai", model: "gpt-x" },
        label: "gpt-x, OpenAI",
      })
      expect(await chooseModel(keys, "deepseek")).toMatchObject({
        model: { provider: "deepseek", model: "deepseek-chat" },
      })
      expect(await chooseModel(keys, "deepseek:v9")).toMatchObject({ model: { provider: "deepseek", model: "v9" } })
    } finally {
      delete process.env["OPENAI_API_KEY"]
      delete process.env["DEEPSEEK_API_KEY"]
    }
  })

  it("is the offline model where there is no key, or where it is asked for", async () => {
    expect(await chooseModel({})).toMatchObject({ model: { provider: "offline" }, offline: true })
    expect(await chooseModel(keys, "offline")).toMatchObject({ offline: true })
    expect(setup).toContain("export OPENAI_API_KEY=")
  })

  it("is an error where a model is asked for without its key", async () => {
    await expect(chooseModel({}, "gpt-x")).rejects.toMatchObject({ code: "usage" })
    await expect(chooseModel({ OPENAI_API_KEY: "k" }, "deepseek:x")).rejects.toThrow("Set DEEPSEEK_API_KEY")
  })
})
