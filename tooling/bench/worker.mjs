// One contestant doing one job, in a process of its own: `node --expose-gc worker.mjs CONTESTANT JSON`, result as JSON.
import { jobs } from "./jobs.mjs"
import { toolsOf } from "./tools.mjs"

const [path, json] = process.argv.slice(2)
const { job, url, tools = "zod", options, args } = JSON.parse(json)
const { open } = await import(path)
const marks = { onAdd: () => {} }
const contestant = await open({ url, tools: await toolsOf(tools, { onAdd: () => marks.onAdd() }), options })
const result = await jobs[job](contestant, args, marks)
process.stdout.write(JSON.stringify(result), () => process.exit(0))
