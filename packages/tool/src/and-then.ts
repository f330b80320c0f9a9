import { isThenable } from "@agentscope-ts/message"

/** Goes on with a value at once, or when it comes: what answers synchronously costs no turn of the event loop. */
export function andThen<T, R>(value: T | PromiseLike<T>, go: (value: T) => R | PromiseLike<R>): R | PromiseLike<R> {
  return isThenable(value) ? value.then(go) : go(value)
}
