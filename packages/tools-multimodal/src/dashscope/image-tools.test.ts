import { replaceAmbient, textOf } from "@agentscope-ts/message"
import { describe, expect, onTestFinished, test } from "vitest"
import { call, noWaiting } from "../fixtures/call.ts"
import { folder, png } from "../fixtures/media.ts"
import { service, task } from "../fixtures/service.ts"
import { DashScopeImageModel } from "./dashscope-image-model.ts"
import { dashscopeImageToText } from "./image-to-text.ts"
import { dashscopeTextToImage } from "./text-to-image.ts"

const apiKey = "sk-very-secret-key"
const results = [{ url: "https://store/1.png" }, { url: "https://store/2.png", actual_prompt: "A red cat" }]

describe("dashscope_text_to_image", () => {
  test("creates a task, asks until it is done, and gives the pictures", async () => {
    const waits = noWaiting()
    await using dashscope = await service(task(["PENDING", "RUNNING", "SUCCEEDED"], { results }, { image_count: 2 }))
    const progress: unknown[] = []
    const tool = dashscopeTextToImage({ apiKey, baseURL: `${dashscope.url}/api/v1` })
    const result = await call(
      tool,
      { prompt: "A cat", n: 2 },
      { onChunk: ({ type, data }) => type === "progress" && progress.push(data) },
    )
    expect(result.state).toBe("success")
    expect(result.output).toEqual([
      { type: "image", source: { type: "url", url: "https://store/1.png" } },
      { type: "image", source: { type: "url", url: "https://store/2.png" } },
    ])
    expect(result.metadata).toEqual({ model: "wanx-v1", taskId: "t-1", revisedPrompts: ["", "A red cat"] })
    const [created, ...asked] = dashscope.got
    expect(created).toMatchObject({
      method: "POST",
      path: "/api/v1/services/aigc/text2image/image-synthesis",
      headers: { authorization: `Bearer ${apiKey}`, "x-dashscope-async": "enable", "content-type": "application/json" },
      body: { model: "wanx-v1", input: { prompt: "A cat" }, parameters: { size: "1024*1024", n: 2 } },
    })
    expect(asked.map(({ method, path, headers }) => [method, path, headers["x-dashscope-async"]])).toEqual(
      Array.from({ length: 3 }, () => ["GET", "/api/v1/tasks/t-1", undefined]),
    )
    expect(asked[0]?.headers["authorization"]).toBe(`Bearer ${apiKey}`)
    expect(waits).toEqual([1000, 1500, 2250])
    expect(progress).toEqual([
      { taskId: "t-1", status: "PENDING", seconds: 0 },
      { taskId: "t-1", status: "PENDING", seconds: 1 },
      { taskId: "t-1", status: "RUNNING", seconds: 3 },
      { taskId: "t-1", status: "SUCCEEDED", seconds: 5 },
    ])
  })

  test("gives the bytes with use_base64", async () => {
    noWaiting()
    await using dashscope = await service((got) => {
      if (got.path === "/pictures/1.png") return { text: png, headers: { "content-type": "application/octet-stream" } }
      return task(["SUCCEEDED"], { results: [{ url: `${dashscope.url}/pictures/1.png?Signature=x` }] })(got)
    })
    const tool = dashscopeTextToImage({ apiKey, baseURL: `${dashscope.url}/api/v1` })
    const blocks = await tool.run({ prompt: "A cat", use_base64: true, size: "720x1280" })
    expect(blocks).toEqual([
      { type: "image", source: { type: "base64", mediaType: "image/png", data: png.toString("base64") } },
    ])
    expect(dashscope.got[0]?.body).toMatchObject({ parameters: { size: "720*1280", n: 1 } })
    // the store gets no key
    expect(dashscope.got.at(-1)?.headers["authorization"]).toBeUndefined()
  })

  test("of several pictures gives those that came to be", async () => {
    noWaiting()
    const some = [{ code: "InternalError", message: "m" }, results[0]]
    await using dashscope = await service(task(["SUCCEEDED"], { results: some }))
    const tool = dashscopeTextToImage({ apiKey, baseURL: `${dashscope.url}/api/v1` })
    expect(await tool.run({ prompt: "A cat", n: 2 })).toHaveLength(1)
  })

  test("asks newer models by a message", async () => {
    await using dashscope = await service(() => ({
      json: { output: { choices: [{ message: { role: "assistant", content: [{ image: "https://store/1.png" }] } }] } },
    }))
    const tool = dashscopeTextToImage({ apiKey, baseURL: `${dashscope.url}/api/v1`, model: "qwen-image-plus" })
    const result = await call(tool, { prompt: "A cat" })
    expect(result.output).toEqual([{ type: "image", source: { type: "url", url: "https://store/1.png" } }])
    expect(dashscope.got).toMatchObject([
      {
        path: "/api/v1/services/aigc/multimodal-generation/generation",
        body: {
          model: "qwen-image-plus",
          input: { messages: [{ role: "user", content: [{ text: "A cat" }] }] },
          parameters: { size: "1024*1024", n: 1 },
        },
      },
    ])
    expect(dashscope.got[0]?.headers).not.toHaveProperty("x-dashscope-async")
  })

  test.each([
    [{ prompt: "" }],
    [{ prompt: " \n" }],
    [{ prompt: "A cat", n: 0 }],
    [{ prompt: "A cat", n: 5 }],
    [{ prompt: "A cat", n: 1.5 }],
    [{ prompt: "A cat", size: "large" }],
    [{}],
  ])("%j is refused before anything is sent", async (input) => {
    await using dashscope = await service(() => ({ json: {} }))
    const result = await call(dashscopeTextToImage({ apiKey, baseURL: dashscope.url }), input)
    expect(result.state).toBe("error")
    expect(result.metadata).toMatchObject({
      error: { code: expect.stringMatching(/^invalid_(?:input|argument)$/) as string },
    })
    expect(dashscope.got).toHaveLength(0)
  })
})

describe("a task", () => {
  const tool = (url: string) => dashscopeTextToImage({ apiKey, baseURL: `${url}/api/v1` })

  test.each([
    ["FAILED", { code: "InvalidParameter", message: "bad size" }, "invalid_request", "InvalidParameter: bad size"],
    [
      "FAILED",
      { code: "DataInspectionFailed", message: "Output data may contain inappropriate content." },
      "content_filtered",
      "inappropriate",
    ],
    ["FAILED", {}, "server_error", "no reason given"],
    ["CANCELED", {}, "server_error", "was cancelled"],
    ["UNKNOWN", {}, "not_found", "not known any more"],
  ])("that ends as %s %j says why, and which it was", async (status, output, code, text) => {
    noWaiting()
    await using dashscope = await service(task(["RUNNING", status], output))
    const result = await call(tool(dashscope.url), { prompt: "A cat" })
    expect(result.state).toBe("error")
    expect(textOf(result)).toContain(text)
    expect(textOf(result)).toContain("t-1")
    expect(result.metadata).toMatchObject({ error: { code } })
  })

  test("is created once: a failure there is not tried again, and asking is", async () => {
    noWaiting()
    await using broken = await service(() => ({ status: 500, json: { code: "InternalError", message: "oops" } }))
    expect((await call(tool(broken.url), { prompt: "A cat" })).metadata).toMatchObject({
      error: { code: "server_error" },
    })
    expect(broken.got).toHaveLength(1)

    let asked = 0
    const done = task(["SUCCEEDED"], { results })
    await using shaky = await service((got) =>
      got.method === "GET" && ++asked <= 4
        ? { status: 503, json: { code: "Throttling", message: "later" } }
        : done(got),
    )
    expect((await call(tool(shaky.url), { prompt: "A cat" })).state).toBe("success")
    expect(shaky.got.filter(({ method }) => method === "POST")).toHaveLength(1)
  })

  test("is given up when asking keeps failing, or is refused", async () => {
    noWaiting()
    const created = task([])
    await using down = await service((got) => (got.method === "POST" ? created(got) : { status: 502, text: "<html>" }))
    const result = await call(tool(down.url), { prompt: "A cat" })
    expect(result.state).toBe("error")
    expect(down.got).toHaveLength(6)
    await using refuses = await service((got) =>
      got.method === "POST" ? created(got) : { status: 403, json: { code: "AccessDenied", message: "no" } },
    )
    const denied = await call(tool(refuses.url), { prompt: "A cat" })
    expect(denied.metadata).toMatchObject({ error: { code: "permission_denied" } })
    expect(refuses.got).toHaveLength(2)
  })

  test("that goes on for ever is given up, and its id told", async () => {
    const waits = noWaiting()
    await using dashscope = await service(task(["RUNNING"]))
    const result = await call(tool(dashscope.url), { prompt: "A cat" })
    expect(textOf(result)).toMatch(/The task t-1 of wanx-v1 is still RUNNING after 6\d\d s/)
    expect(Math.max(...waits)).toBe(10_000)
  })

  test("is left alone when the call is aborted while waiting", async () => {
    const abort = new AbortController()
    await using dashscope = await service((got) => {
      if (got.method === "GET") abort.abort(new Error("enough"))
      return task(["RUNNING"])(got)
    })
    noWaiting()
    const result = await call(tool(dashscope.url), { prompt: "A cat" }, { signal: abort.signal })
    expect(result.state).toBe("interrupted")
    const count = dashscope.got.length
    expect(count).toBe(2)
  })

  test.each(["asked after", "waited for"])(
    "tells which it was when it is aborted in code while it is %s",
    async (when) => {
      const abort = new AbortController()
      await using dashscope = await service((got) => {
        if (got.method === "POST") return task([])(got)
        abort.abort()
        return undefined
      })
      const sleep = async (_ms: number, signal?: AbortSignal): Promise<void> => {
        if (when === "waited for") abort.abort()
        signal?.throwIfAborted()
      }
      onTestFinished(replaceAmbient({ sleep }))
      const model = new DashScopeImageModel({ model: "wanx-v1", apiKey, baseURL: dashscope.url })
      await expect(model.generate({ prompt: "A cat", signal: abort.signal })).rejects.toMatchObject({
        code: "aborted",
        message: "Waiting for the task t-1 of wanx-v1 was aborted; the service goes on with it.",
        details: { taskId: "t-1" },
      })
    },
  )

  test.each([
    ["no JSON", { text: "<html>gateway</html>" }],
    ["an empty body", { text: "" }],
    ["another object", { json: { ok: true } }],
    ["a list", { json: [] }],
    ["a number for an id", { json: { output: { task_id: 7 } } }],
  ])("that is answered with %s is malformed", async (_what, answer) => {
    await using dashscope = await service(() => answer)
    const result = await call(tool(dashscope.url), { prompt: "A cat" })
    expect(result.metadata).toMatchObject({ error: { code: "malformed_response" } })
  })

  test("without a picture is malformed", async () => {
    noWaiting()
    await using dashscope = await service(task(["SUCCEEDED"], { results: "none" }))
    expect(textOf(await call(tool(dashscope.url), { prompt: "A cat" }))).toContain("without a picture")
  })
})

describe("keys", () => {
  test("are in no error, also when the service repeats them", async () => {
    await using dashscope = await service(({ headers }) => ({
      status: 401,
      json: { code: "InvalidApiKey", message: `Invalid API-key provided: ${String(headers["authorization"])}` },
    }))
    const result = await call(dashscopeTextToImage({ apiKey, baseURL: dashscope.url }), { prompt: "A cat" })
    expect(result.metadata).toMatchObject({ error: { code: "authentication" } })
    expect(JSON.stringify(result)).not.toContain(apiKey)
  })

  test("that are missing are told when a tool is made", () => {
    expect(() => dashscopeTextToImage({ apiKey: "" })).toThrow(/DASHSCOPE_API_KEY/)
    expect(() => dashscopeTextToImage({ apiKey, baseURL: "nowhere" })).toThrow(/no URL/)
  })
})

describe("dashscope_image_to_text", () => {
  const says = (text: string) => ({
    json: {
      output: { choices: [{ finish_reason: "stop", message: { role: "assistant", content: [{ text }] } }] },
      usage: { input_tokens: 20, output_tokens: 3 },
    },
  })

  test("asks a model about pictures at URLs, in files and in data: URLs", async () => {
    await using dashscope = await service(() => says("Three cats."))
    const dir = folder({ "cat.png": png })
    const data = `data:image/png;base64,${png.toString("base64")}`
    const tool = dashscopeImageToText({ apiKey, baseURL: `${dashscope.url}/api/v1` })
    const result = await call(tool, { image_urls: ["https://host/a.jpg", `${dir}/cat.png`, data], prompt: "How many?" })
    expect(textOf(result)).toBe("Three cats.")
    expect(result.metadata).toMatchObject({ model: "qwen3-vl-plus", usage: { inputTokens: 20, outputTokens: 3 } })
    expect(dashscope.got).toMatchObject([
      {
        path: "/api/v1/services/aigc/multimodal-generation/generation",
        body: {
          model: "qwen3-vl-plus",
          input: {
            messages: [
              {
                role: "user",
                content: [{ image: "https://host/a.jpg" }, { image: data }, { image: data }, { text: "How many?" }],
              },
            ],
          },
        },
      },
    ])
    expect(dashscope.got[0]?.headers).not.toHaveProperty("x-dashscope-ossresourceresolve")
  })

  test("says so when pictures are in the service's own store", async () => {
    await using dashscope = await service(() => says("A cat."))
    const tool = dashscopeImageToText({ apiKey, baseURL: `${dashscope.url}/api/v1` })
    expect(await tool.run({ image_urls: ["oss://dashscope/x.png"] })).toBe("A cat.")
    expect(dashscope.got[0]?.headers["x-dashscope-ossresourceresolve"]).toBe("enable")
  })

  test("fails when the model says nothing, and when the service fails", async () => {
    await using silent = await service(() => says(""))
    const tool = dashscopeImageToText({ apiKey, baseURL: `${silent.url}/api/v1` })
    expect((await call(tool, { image_urls: ["https://host/a.jpg"] })).state).toBe("error")
    await using refuses = await service(() => ({
      status: 400,
      json: { code: "InvalidParameter", message: "download failed" },
    }))
    const other = dashscopeImageToText({ apiKey, baseURL: `${refuses.url}/api/v1` })
    expect(textOf(await call(other, { image_urls: ["https://host/a.jpg"] }))).toContain("download failed")
  })

  test.each([
    [{ image_urls: [] }],
    [{ image_urls: [""] }],
    [{ image_urls: ["/does/not/exist.png"] }],
    [{ image_urls: ["ftp://host/a.png"] }],
    [{ image_urls: ["https://"] }],
    [{ image_urls: [import.meta.filename] }],
    [{ image_urls: ["data:text/plain;base64,aGk="] }],
    [{ image_urls: ["data:image/png;base64,aGk="] }],
    [{ image_urls: ["data:image/png,"] }],
    [{ image_urls: ["https://host/a.png"], prompt: " " }],
  ])("%j is refused before anything is sent", async (input) => {
    await using dashscope = await service(() => says("never"))
    const result = await call(dashscopeImageToText({ apiKey, baseURL: dashscope.url }), input)
    expect(result.state).toBe("error")
    expect(dashscope.got).toHaveLength(0)
  })
})
