import type { Readable, Writable } from "node:stream"
import { serverSdk } from "../sdk.ts"
import type { ServerSession } from "../server-session.ts"
import type { Wire } from "../wire.ts"
import { StdioWire } from "./stdio-wire.ts"
import { takeStdout } from "./take-stdout.ts"

/** Other streams than those of the process, for servers inside another program. */
export interface ServeStdioOptions {
  input?: Readable | undefined
  output?: Writable | undefined
}

const signals = ["SIGINT", "SIGTERM"] as const

/** Serves one client over two streams; resolves when the connection has ended. */
export async function serveOverStdio(
  open: (wire: Wire, onClose: () => void) => Promise<ServerSession>,
  { input, output, onClosing }: ServeStdioOptions & { onClosing: (close: () => Promise<void>) => () => void },
): Promise<void> {
  const taken = output === undefined ? takeStdout() : undefined
  const to = output ?? process.stdout
  const write = taken?.write ?? ((text: string, done: () => void) => to.write(text, done))
  let received: NodeJS.Signals | undefined
  let forget = (): void => {}
  let stop = (_signal: NodeJS.Signals): void => {}
  try {
    const wire = new StdioWire(input ?? process.stdin, to, write, await serverSdk())
    stop = (signal) => {
      received = signal
      void wire.close()
    }
    // a program that gave its own streams has its own way to stop
    if (taken) for (const signal of signals) process.on(signal, stop)
    forget = onClosing(() => wire.close())
    await new Promise<void>((resolve, reject) => {
      open(wire, resolve).then((session) => {
        wire.version = () => session.version
      }, reject)
    })
    // what was answered last is still on its way
    if (taken) await new Promise<void>((resolve) => void write("", resolve))
  } finally {
    forget()
    taken?.giveBack()
    if (taken) for (const signal of signals) process.off(signal, stop)
  }
  if (received !== undefined) process.kill(process.pid, received)
}
