// on globalThis, so that two installed copies of this package share one switch
const key = Symbol.for("agentscope.capture-content")
const holder = globalThis as { [key]?: boolean }

/**
 * Whether spans may hold content: messages, system instructions, tool definitions, arguments and results. Off unless
 * `initTracing` or {@link setCaptureContent} turned it on, as the conventions ask. Ask before building such attributes.
 */
export function captureContent(): boolean {
  return holder[key] === true
}

/** Turns content in spans on or off for the process: for programs that start an OpenTelemetry SDK themselves. */
export function setCaptureContent(on: boolean): void {
  holder[key] = on
}
