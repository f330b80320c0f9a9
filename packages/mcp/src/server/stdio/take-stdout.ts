/**
 * Takes standard output for one writer: whatever else is written there goes to standard error until it is given back. Output
 * of child processes that inherit it cannot be caught.
 */
export function takeStdout(): {
  readonly write: (text: string, done: () => void) => boolean
  giveBack(): void
} {
  const { stdout, stderr } = process
  const own = Object.getOwnPropertyDescriptor(stdout, "write")
  const original = stdout.write.bind(stdout)
  stdout.write = ((...args: Parameters<typeof stderr.write>) => stderr.write(...args)) as typeof stdout.write
  return {
    write: (text, done) => original(text, () => done()),
    giveBack: () => {
      if (own) Object.defineProperty(stdout, "write", own)
      else Reflect.deleteProperty(stdout, "write")
    },
  }
}
