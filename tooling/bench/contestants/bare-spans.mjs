// The floor over node:http with the spans of a traced round made by hand, straight on the OpenTelemetry SDK: what an exporter
// costs before any framework. With `options.traced` only; without it, it is the floor.
import { open as openFloor } from "./floor-http.mjs"

export async function open({ url, tools, options = {} }) {
  if (!options.traced) return openFloor({ url, tools })
  const { initTracing } = await import("@agentscope-ts/tracing/node")
  const tracing = await initTracing({
    serviceName: "bench",
    otlpEndpoint: new URL("/v1/traces", url).href,
    captureContent: false,
  })
  const { context, trace } = await import("@opentelemetry/api")
  const tracer = trace.getTracer("bare")

  async function inSpan(name, attributes, work) {
    const span = tracer.startSpan(name, { attributes })
    try {
      return await context.with(trace.setSpan(context.active(), span), work)
    } finally {
      span.end()
    }
  }

  const floor = await openFloor({
    url,
    tools: tools.map((tool) => ({
      ...tool,
      execute: (input) =>
        inSpan(
          `execute_tool ${tool.name}`,
          { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool.name },
          async () => tool.execute(input),
        ),
    })),
    around: (work) =>
      inSpan(
        "chat bench",
        { "gen_ai.operation.name": "chat", "gen_ai.request.model": "bench", "gen_ai.provider.name": "openai" },
        () => {
          tracer.startSpan("format openai", { attributes: { "gen_ai.operation.name": "format" } }).end()
          return work()
        },
      ),
  })
  return {
    close: () => tracing.shutdown(),
    agent(model, settings) {
      const agent = floor.agent(model, settings)
      return {
        ...agent,
        run: (prompt) =>
          inSpan("invoke_agent bench", { "gen_ai.operation.name": "invoke_agent" }, () => agent.run(prompt)),
      }
    },
  }
}
