import { authError } from "./auth-error.ts"

/** Waits on this machine for the browser to come back from a login. */
export interface RedirectListener {
  readonly redirectUrl: string
  /** The address that the browser came back to, with the expected state; does not settle before. */
  arrival(state: string): Promise<string>
  close(): void
}

const page = (text: string) =>
  `<!doctype html><meta charset="utf-8"><title>AgentScope</title><p style="font:1.2em system-ui;margin:3em">${text}</p>`

/**
 * Listens on 127.0.0.1 (RFC 8252), on `port` or a free one. What is not the expected login is answered with an error and
 * otherwise ignored, so that no other page can end a login.
 */
export async function listenForRedirect(port = 0): Promise<RedirectListener> {
  const { createServer } = await import("node:http")
  let expected: { state: string; resolve: (url: string) => void } | undefined
  let redirectUrl = ""
  const server = createServer((request, response) => {
    const url = URL.canParse(request.url ?? "", redirectUrl) ? new URL(request.url ?? "", redirectUrl) : undefined
    const found = request.method === "GET" && url?.pathname === "/callback"
    const ours = found && expected !== undefined && url.searchParams.get("state") === expected.state
    const status = ours ? 200 : found ? 400 : 404
    const failed = ours && url.searchParams.has("error")
    const text = failed ? "The login was refused." : ours ? "Signed in." : "This is not the login that is waited for."
    response.writeHead(status, {
      "content-type": "text/html; charset=utf-8",
      connection: "close",
      "cache-control": "no-store",
    })
    response.end(page(ours ? `${text} You can close this page.` : text), () => {
      if (ours) expected?.resolve(url.href)
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => {
      reject(
        authError("invalid_auth", `Port ${port} of 127.0.0.1 cannot be listened on for the login's answer.`, { cause }),
      )
    })
    server.listen(port, "127.0.0.1", resolve)
  })
  const address = server.address()
  redirectUrl = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : port}/callback`
  return {
    redirectUrl,
    arrival: (state) => new Promise((resolve) => (expected = { state, resolve })),
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
