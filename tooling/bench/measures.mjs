// Every measure: which job runs with which arguments, and the rows that come of it with their targets. A row's `figure` is what
// one contestant shows; `value` is what is judged, from the results of one repetition by contestant: the ratio to `floor` in
// the same repetition unless said otherwise. `target` is what we aim at; past `failAbove` a change is not done.

/** @typedef {{ id: string, label: string, unit: string, figure?: (result: any) => number, value: (rep: Record<string, any>, name: string) => number, compared: string, target?: number, failAbove?: number, more?: boolean, wire?: string }} Row */

const ratio = (figure) => ({
  figure,
  compared: "× floor",
  value: (rep, name) => figure(rep[name]) / figure(rep.floor),
})
const difference = (figure, unit) => ({
  figure,
  compared: `${unit} over floor`,
  value: (rep, name) => figure(rep[name]) - figure(rep.floor),
})
const itself = (figure, unit) => ({ figure, compared: unit, value: (rep, name) => figure(rep[name]) })

const ms = (result) => result.ms
const us = (result) => result.us

/** Fewer runs of everything when only the direction matters. */
export function measures({ quick }) {
  const runs = (full, less) => (quick ? less : full)
  return [
    {
      name: "rounds-20",
      job: "rounds",
      args: { k: 20, stream: true, warmups: 30, runs: runs(30, 20) },
      rows: [
        {
          id: "rounds-20",
          label: "CPU a tool round, streamed, K=20",
          unit: "ms",
          ...ratio(ms),
          target: 0.6,
          failAbove: 1,
        },
      ],
    },
    {
      name: "rounds-20-iterated",
      job: "rounds",
      args: { k: 20, stream: true, iterate: true, warmups: 30, runs: runs(30, 20) },
      rows: [
        {
          id: "rounds-20-iterated",
          label: "the same, events read",
          unit: "ms",
          ...ratio(ms),
          target: 0.6,
          failAbove: 1,
        },
      ],
    },
    {
      name: "rounds-100",
      job: "rounds",
      args: { k: 100, stream: true, warmups: 8, runs: runs(6, 4) },
      rows: [
        {
          id: "rounds-100",
          label: "CPU a tool round, streamed, K=100",
          unit: "ms",
          ...ratio(ms),
          target: 0.5,
          failAbove: 1,
        },
      ],
    },
    {
      name: "rounds-json",
      job: "rounds",
      args: { k: 20, stream: false, warmups: 30, runs: runs(30, 20) },
      rows: [
        {
          id: "rounds-json",
          label: "CPU a tool round, JSON, K=20",
          unit: "ms",
          ...ratio(ms),
          target: 0.5,
          failAbove: 1,
        },
      ],
    },
    {
      name: "growth",
      job: "growth",
      args: { k: 200, warmups: 3, runs: runs(4, 2) },
      rows: [
        {
          id: "rounds-late",
          label: "CPU a tool round, rounds 180–200 of 200",
          unit: "ms",
          ...ratio((r) => r.late),
          target: 0.5,
          failAbove: 1,
        },
      ],
    },
    {
      name: "deltas-2k",
      job: "deltas",
      args: { script: "text", n: 2000, warmups: 10, runs: runs(20, 10) },
      rows: [
        {
          id: "deltas-2k",
          label: "CPU a text delta, 2,000 deltas",
          unit: "µs",
          ...ratio(us),
          target: 0.6,
          failAbove: 1,
        },
      ],
    },
    {
      name: "deltas-20k",
      job: "deltas",
      args: { script: "text", n: 20_000, warmups: 2, runs: runs(5, 3) },
      rows: [
        {
          id: "deltas-20k",
          label: "CPU a text delta, 20,000 deltas",
          unit: "µs",
          ...ratio(us),
          target: 0.6,
          failAbove: 1,
        },
      ],
    },
    {
      name: "deltas-mixed",
      job: "deltas",
      args: { script: "mixed", n: 2000, warmups: 10, runs: runs(20, 10) },
      rows: [{ id: "deltas-mixed", label: "the same, 2,000 with escapes and beyond ASCII", unit: "µs", ...ratio(us) }],
    },
    {
      name: "args-500",
      job: "args",
      args: { n: 500, warmups: 10, runs: runs(20, 10) },
      rows: [{ id: "args-500", label: "CPU a delta of tool arguments, 500 deltas", unit: "µs", ...ratio(us) }],
    },
    {
      name: "args-5k",
      job: "args",
      args: { n: 5000, warmups: 4, runs: runs(8, 4) },
      rows: [
        {
          id: "args-5k",
          label: "CPU a delta of tool arguments, 5,000 deltas",
          unit: "µs",
          ...ratio(us),
          target: 0.6,
          failAbove: 1,
        },
      ],
    },
    {
      name: "paced",
      job: "deltas",
      args: { script: "paced", n: 200, warmups: 1, runs: runs(4, 2) },
      rows: [
        {
          id: "paced",
          label: "CPU a text delta, one every 2 ms",
          unit: "µs",
          ...ratio(us),
          target: 0.85,
          failAbove: 1.2,
        },
      ],
    },
    {
      name: "first-token",
      job: "firstToken",
      args: { warmups: 20, runs: runs(60, 30) },
      rows: [
        { id: "first-token", label: "time to the first token", unit: "ms", ...ratio(ms), target: 0.65, failAbove: 1 },
      ],
    },
    fan(10, 23.5, 25, runs),
    fan(50, 24, 28, runs),
    inFlight(200, 1000, { perSecond: [1.4, 1], p99: [0.9, 1.2], peakMb: [0.75, 1] }),
    inFlight(1000, 2000, { perSecond: [1.8, 1], p99: [0.55, 1], peakMb: [0.75, 1] }),
    {
      name: "cold",
      cold: true,
      args: { tools: "none" },
      rows: [
        {
          id: "cold",
          label: "process start to first request",
          unit: "ms",
          ...difference((r) => r.firstRequestMs, "ms"),
          target: 25,
          failAbove: 60,
        },
        {
          id: "cold-rss",
          label: "memory after import",
          unit: "MB",
          ...itself((r) => r.rssMb, "MB"),
          target: 66,
          failAbove: 75,
        },
      ],
    },
    {
      name: "cold-zod",
      cold: true,
      args: { tools: "zod" },
      rows: [
        {
          id: "cold-zod",
          label: "the same with one zod tool (floor loads zod too)",
          unit: "ms",
          ...difference((r) => r.firstRequestMs, "ms"),
          target: 25,
          failAbove: 60,
        },
      ],
    },
    sessions(false, "session", "heap of a session of 20 messages", 9.5, 12, runs),
    sessions(true, "agent", "heap of an agent and its session", 10.5, 14, runs),
    {
      name: "turns",
      job: "turns",
      args: quick ? { turns: 1500, at: 1000 } : { turns: 3000, at: 1000 },
      tools: "none",
      rows: [
        {
          id: "turn-heap",
          label: "heap a turn of a long conversation",
          unit: "KB",
          ...itself((r) => r.kb, "KB"),
          target: 1,
          failAbove: 1.5,
        },
        { id: "turn-cpu", label: "CPU a turn, turns 900–1,000", unit: "ms", ...ratio(ms), target: 0.5, failAbove: 1 },
      ],
    },
    ...toolkit(runs),
    ...extras(runs),
    ...["responses", "anthropic", "gemini", "dashscope", "ollama"].flatMap((wire) => provider(wire, runs)),
  ]
}

/** The rows of a provider, beside a floor that speaks its wire format. Their targets are those of the same rows for `chat`. */
function provider(wire, runs) {
  const entries = ["floor", "agentscope"].map((name) => ({ key: name, contestant: name, options: { wire } }))
  const measure = (name, job, args, label, unit, figure, target) => ({
    name: `${wire}-${name}`,
    job,
    args,
    entries,
    rows: [{ id: `${wire}-${name}`, label: `${wire}: ${label}`, unit, ...ratio(figure), target, failAbove: 1, wire }],
  })
  const text = (n, warmups, count) => ({ script: "text", n, warmups, runs: count })
  const few = { warmups: 30, runs: runs(30, 20) }
  return [
    measure("rounds-20", "rounds", { k: 20, stream: true, ...few }, "CPU a tool round, K=20", "ms", ms, 0.6),
    measure("deltas-2k", "deltas", text(2000, 10, runs(20, 10)), "CPU a text delta, 2,000 deltas", "µs", us, 0.6),
    measure("deltas-20k", "deltas", text(20_000, 2, runs(5, 3)), "CPU a text delta, 20,000 deltas", "µs", us, 0.6),
    measure(
      "first-token",
      "firstToken",
      { warmups: 20, runs: runs(60, 30) },
      "time to the first token",
      "ms",
      ms,
      0.65,
    ),
  ]
}

/** The toolkit by itself. */
function toolkit(runs) {
  const entries = [{ key: "agentscope", contestant: "toolkit", options: undefined }]
  const row = (id, label, unit, figure, target, failAbove) => ({
    id,
    label,
    unit,
    ...itself(figure, unit),
    target,
    failAbove,
  })
  return [
    {
      name: "toolkit-execute",
      job: "execute",
      entries,
      args: { warmups: 3, runs: runs(20_000, 10_000) },
      rows: [row("toolkit-execute", "CPU that the toolkit adds to a trivial validated call", "µs", us, 10, 30)],
    },
    {
      name: "toolkit-list",
      job: "list",
      entries,
      args: { n: 10_000 },
      rows: [
        row("toolkit-list-first", "10,000 tools listed the first time", "ms", (r) => r.firstMs, 50, 200),
        row("toolkit-list", "the same, nothing changed", "ms", (r) => r.againMs, 1, 20),
        row("toolkit-list-switch", "the same, a group switched", "ms", (r) => r.switchMs, 5, 20),
      ],
    },
    {
      name: "toolkit-session",
      job: "idle",
      entries,
      args: { count: runs(20_000, 5000) },
      rows: [row("toolkit-session", "heap of an idle conversation in a toolkit", "KB", (r) => r.kb, 0.25, 1)],
    },
  ]
}

function fan(p, target, failAbove, runs) {
  return {
    name: `fan-${p}`,
    job: "fan",
    args: { p, warmups: 5, runs: runs(15, 8) },
    rows: [
      { id: `fan-${p}`, label: `${p} parallel tools of 20 ms`, unit: "ms", ...itself(ms, "ms"), target, failAbove },
    ],
  }
}

function sessions(withAgent, id, label, target, failAbove, runs) {
  return {
    name: `heap-${id}`,
    job: "sessions",
    tools: "none",
    args: { withAgent, count: runs(300, 100) },
    rows: [{ id, label, unit: "KB", ...itself((result) => result.kb, "KB"), target, failAbove }],
  }
}

/** `limits`: target and limit of each figure. */
function inFlight(count, total, limits) {
  const row = (field, label, unit, more) => ({
    id: `in-flight-${count}-${field}`,
    label: `${count.toLocaleString("en")} runs in flight: ${label}`,
    unit,
    ...ratio((result) => result[field]),
    target: limits[field][0],
    failAbove: limits[field][1],
    more,
  })
  return {
    name: `in-flight-${count}`,
    job: "inFlight",
    reps: 9,
    args: { inFlight: count, total, warmups: 20 },
    rows: [
      row("perSecond", "runs a second", "", true),
      row("p99", "slowest 1 % of runs", "ms", false),
      row("peakMb", "peak memory", "MB", false),
    ],
  }
}

/**
 * What only this project has: the same rounds with an exporter on, and with hooks. An exporter sends 512 spans at a time: the
 * runs are many enough for what is sent to be about what is made, and long enough for a few microseconds to show.
 */
function extras(runs) {
  const args = { k: 20, stream: true, warmups: 100, runs: runs(150, 80) }
  const variant = (key, options, contestant = "agentscope") => ({ key, contestant, options })
  const perSpan = (on, off) => (rep) => ((rep[on].ms - rep[off].ms) * 1000) / rep[on].spansPerRound
  const span = (id, label, on, off) => ({ id, label, unit: "µs", compared: "µs", value: perSpan(on, off) })
  return [
    {
      name: "spans",
      job: "rounds",
      args,
      entries: [
        variant("off", {}),
        variant("on", { traced: "plain" }),
        variant("content", { traced: "content" }),
        variant("bare-off", {}, "bare-spans"),
        variant("bare-on", { traced: "plain" }, "bare-spans"),
      ],
      rows: [
        { ...span("spans", "an exporter on, a span", "on", "off"), target: 20, failAbove: 40 },
        span("spans-content", "the same with the content of messages", "content", "off"),
        span("spans-bare", "the OpenTelemetry SDK alone, a span made by hand", "bare-on", "bare-off"),
      ],
    },
    {
      name: "hooks",
      job: "rounds",
      args,
      entries: [variant("off", {}), variant("on", { hooks: true })],
      rows: [
        {
          id: "hooks",
          label: "six asynchronous hooks, of a round",
          unit: "%",
          compared: "%",
          value: (rep) => (rep.on.ms / rep.off.ms - 1) * 100,
          target: 5,
        },
      ],
    },
  ]
}
