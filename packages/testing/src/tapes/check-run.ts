import { testingError } from "../testing-error.ts"

/** Throws `invalid_option` for what is no file name and function; `call` is how it should have been called. */
export function checkRun(call: string, file: unknown, run: unknown): void {
  if (typeof file !== "string" || file === "") {
    throw testingError("invalid_option", `${call}: file is the path of the tape, not ${kindOf(file)}.`)
  }
  if (typeof run !== "function") {
    throw testingError("invalid_option", `${call}: run is the function that the tape is of, not ${kindOf(run)}.`)
  }
}

const kindOf = (value: unknown): string => (value === null ? "null" : value === "" ? "an empty text" : typeof value)
