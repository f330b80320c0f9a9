import { modelError } from "../errors/model-error.ts"

/** The `extraBody` of some params. It is the error `invalid_request` where it holds fields that are the request's `own`. */
export function extraFields(
  { extraBody = {} }: { readonly extraBody?: Record<string, unknown> | undefined },
  own: readonly string[],
): Record<string, unknown> {
  const field = own.find((name) => name in extraBody)
  if (field === undefined) return extraBody
  const message = `params.extraBody cannot hold ${field}: they are the request's own.`
  throw modelError({ code: "invalid_request", message })
}
