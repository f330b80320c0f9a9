import type { JsonSchema, Schema, StandardSchema } from "@agentscope-ts/message"
import { type OutputUnit, type Schema as CfworkerSchema, Validator as Interpreter } from "@cfworker/json-schema"
import { modelError } from "../errors/model-error.ts"
import { dropNulls } from "./drop-nulls.ts"
import { checkSchema, isStandardSchema } from "./json-schema-of.ts"

/** One thing that does not fit. `path` is like `lines[2].price`, empty for the value itself. */
export interface SchemaIssue {
  readonly path: string
  readonly message: string
}

/** The value as the schema makes it (defaults, transforms), or what does not fit. */
export type Validation =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly SchemaIssue[] }

/** Checks one value, synchronously. */
export type Validate = (value: unknown) => Validation

const cache = new WeakMap<Schema, Validate>()

/**
 * The validator of a schema, made once: a Standard Schema validates itself, a JSON Schema is interpreted (2020-12, or
 * draft 7 where `$schema` says so). A null for an optional property that takes none counts as absent.
 * The validator throws AgentScopeError `invalid_schema` when the schema validates asynchronously.
 */
export function validatorOf(schema: Schema): Validate {
  let validate = cache.get(schema)
  if (validate === undefined) {
    checkSchema(schema)
    const check = isStandardSchema(schema) ? standardValidator(schema) : jsonValidator(schema)
    validate = (value) => check(dropNulls(schema, value))
    cache.set(schema, validate)
  }
  return validate
}

type StandardResult = { readonly value?: unknown; readonly issues?: readonly StandardIssue[] | undefined }
interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

function standardValidator(schema: StandardSchema): Validate {
  const standard = schema["~standard"]
  return (value) => {
    const result = standard.validate(value) as StandardResult | PromiseLike<StandardResult>
    if ("then" in result) {
      result.then(
        () => {},
        () => {},
      )
      const message = `The ${standard.vendor} schema validates asynchronously: make its refinements and transforms synchronous, and do the slow check in the code that uses the value.`
      throw modelError({ code: "invalid_schema", message })
    }
    if (!result.issues) return { ok: true, value: result.value }
    return {
      ok: false,
      issues: result.issues.map(({ message, path = [] }) => ({
        path: pathOf(path.map((step) => (typeof step === "object" ? step.key : step))),
        message,
      })),
    }
  }
}

function jsonValidator(schema: JsonSchema): Validate {
  const draft = typeof schema["$schema"] === "string" && /draft-0[467]/.test(schema["$schema"]) ? "7" : "2020-12"
  let interpreter: Interpreter | undefined
  return (value) => {
    try {
      interpreter ??= new Interpreter(interpretable(schema) as CfworkerSchema, draft, false)
      const result = interpreter.validate(value)
      return result.valid ? { ok: true, value } : { ok: false, issues: leaves(result.errors) }
    } catch (cause) {
      const said = cause instanceof Error ? cause.message : String(cause)
      const ref = /^Unresolved \$ref ("[^"]*")/.exec(said)?.[1]
      const why = ref ? `its $ref ${ref} points to nothing` : said
      throw modelError({ code: "invalid_schema", message: `The JSON Schema cannot be used: ${why}.`, cause })
    }
  }
}

/**
 * A copy for the interpreter, which writes into what it is given; without patterns that JavaScript cannot read, since a
 * schema may come from a server in another language.
 */
function interpretable(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null) return schema
  if (Array.isArray(schema)) return schema.map(interpretable)
  const entries = Object.entries(schema).map(([key, value]) => [key, interpretable(value)] as const)
  return Object.fromEntries(entries.filter(([key, value]) => key !== "pattern" || readable(value)))
}

function readable(pattern: unknown): boolean {
  // an object: a property that is called "pattern"
  if (typeof pattern !== "string") return true
  try {
    RegExp(pattern, "u")
    return true
  } catch {
    return false
  }
}

/** The interpreter reports every level: what says only that something inside does not fit is left out. */
function leaves(errors: readonly OutputUnit[]): SchemaIssue[] {
  const wrappers = new Set(["properties", "items", "prefixItems", "additionalProperties", "$ref", "allOf", "if"])
  const inner = errors.filter(({ keyword }) => !wrappers.has(keyword))
  return (inner.length > 0 ? inner : errors).map(({ instanceLocation, error }) => ({
    path: pathOf(
      instanceLocation
        .split("/")
        .slice(1)
        .map((step) => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~"))
        .map((step) => (/^\d+$/.test(step) ? Number(step) : step)),
    ),
    message: error,
  }))
}

function pathOf(steps: readonly PropertyKey[]): string {
  let path = ""
  for (const step of steps) {
    if (typeof step === "number") path += `[${step}]`
    else path += path === "" ? String(step) : `.${String(step)}`
  }
  return path
}
