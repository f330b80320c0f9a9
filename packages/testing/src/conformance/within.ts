import { must } from "./expectation.ts"

/** The promise, unless it takes longer than `ms`: then the check fails, saying what never came. */
export async function within<T>(ms: number, what: string, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), ms)
  })
  try {
    const first = await Promise.race([promise.then((value) => ({ value })), late])
    must(first !== "late", `${what} within ${ms} ms`)
    return first.value
  } finally {
    clearTimeout(timer)
  }
}

/** Waits for what another socket has to notice first. */
export async function until(ms: number, what: string, holds: () => boolean): Promise<void> {
  const end = Date.now() + ms
  while (!holds()) {
    must(Date.now() < end, `${what} within ${ms} ms`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

/** The error that a promise rejects with; undefined where it resolves. */
export const failureOfCall = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error ?? new TypeError("rejected with nothing"),
  )
