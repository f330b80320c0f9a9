import { connect } from "node:net"
import { expect, test } from "vitest"
import { startAuthServer } from "../fixtures/auth-server.ts"
import { call, person } from "../fixtures/sign-in.ts"
import { listenForRedirect } from "./redirect-listener.ts"

/** A browser: it follows where it is sent. */
const open = async (url: URL) => void (await fetch(url)).body?.cancel()

test("a login needs no more than a browser: the answer comes to 127.0.0.1, and the listener goes", async () => {
  await using server = await startAuthServer()
  let back = ""
  const auth = person({
    redirectUrl: undefined,
    onRedirect: (url) => ((back = url.searchParams.get("redirect_uri") ?? ""), open(url)),
  })
  expect(await call(auth, server.url)).toMatchObject({ status: 200 })
  expect(back).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
  await expect(fetch(back)).rejects.toThrow()
  // the next login has another port, and is registered for it
  server.clients.clear()
  server.tokens.clear()
  expect(await call(person({ ...auth }), server.url)).toMatchObject({ status: 200 })
})

test("a login that is refused is told, by the page and by the error", async () => {
  await using server = await startAuthServer({
    callback: (back) => (back.delete("code"), back.set("error", "access_denied")),
  })
  let page: Promise<string> | undefined
  const onRedirect = (url: URL) => void (page = fetch(url).then((response) => response.text()))
  await expect(call(person({ redirectUrl: undefined, onRedirect }), server.url)).rejects.toMatchObject({
    code: "auth_denied",
    details: { error: "access_denied" },
  })
  expect(await page).toContain("refused")
})

test("other pages cannot end a login", async () => {
  const listener = await listenForRedirect()
  try {
    const arrival = listener.arrival("right")
    for (const [path, status] of [
      ["/callback?state=wrong&code=x", 400],
      ["/callback?code=x", 400],
      ["/other?state=right", 404],
    ] as const) {
      expect((await fetch(new URL(path, listener.redirectUrl))).status).toBe(status)
    }
    expect((await fetch(`${listener.redirectUrl}?state=right`, { method: "POST" })).status).toBe(404)
    const right = await fetch(`${listener.redirectUrl}?state=right&code=%3Cb%3E`)
    expect(right.status).toBe(200)
    expect(await right.text()).not.toContain("<b>")
    expect(new URL(await arrival).searchParams.get("code")).toBe("<b>")
  } finally {
    listener.close()
  }
})

test("a connection that says nothing does not keep the listener open", async () => {
  const listener = await listenForRedirect()
  const socket = connect(Number(new URL(listener.redirectUrl).port), "127.0.0.1")
  await new Promise((resolve) => socket.once("connect", resolve))
  const closed = new Promise((resolve) => socket.once("close", resolve))
  socket.on("error", () => {})
  listener.close()
  await closed
})

test("a port that is taken is told", async () => {
  const listener = await listenForRedirect()
  try {
    await expect(listenForRedirect(Number(new URL(listener.redirectUrl).port))).rejects.toMatchObject({
      code: "invalid_auth",
    })
  } finally {
    listener.close()
  }
})

test("the listener goes when the person cannot be asked", async () => {
  await using server = await startAuthServer()
  let back = ""
  const onRedirect = (url: URL) => {
    back = url.searchParams.get("redirect_uri") ?? ""
    throw new Error("no browser here")
  }
  await expect(call(person({ redirectUrl: undefined, onRedirect }), server.url)).rejects.toThrow("no browser here")
  await expect(fetch(back)).rejects.toThrow()
})
