// From nothing to the first request: `node cold.mjs CONTESTANT JSON`. The parent knows when the process was started, the model
// server when the request came in. Loads nothing that the contestant does not need.
const [path, json] = process.argv.slice(2)
const { url, model, tools } = JSON.parse(json)
const { open } = await import(path)
const importMs = performance.now()
const given = tools === "none" ? [] : (await (await import("./tools.mjs")).toolsOf(tools)).slice(0, 1)
const rssMb = process.memoryUsage.rss() / 2 ** 20
const contestant = await open({ url, tools: given })
await contestant.agent(model, { stream: true }).run("Hello")
process.stdout.write(JSON.stringify({ importMs, rssMb }), () => process.exit(0))
