import type { JsonObject, JsonValue } from "./json.ts"

/** The dialects of JSON Schema that a Standard Schema is asked for. */
export interface JsonSchemaTarget {
  readonly target: "draft-2020-12" | "draft-07"
}

/** A schema of zod 4, ArkType or any library with Standard Schema and its JSON Schema extension. */
export interface StandardSchema<In = unknown, Out = In> {
  readonly "~standard": {
    readonly version: 1
    readonly vendor: string
    readonly types?: { readonly input: In; readonly output: Out } | undefined
    readonly validate: (value: unknown) => unknown
    readonly jsonSchema: {
      readonly input: (options: JsonSchemaTarget) => Record<string, unknown>
      readonly output: (options: JsonSchemaTarget) => Record<string, unknown>
    }
  }
}

/** A JSON Schema literal (2020-12 or draft 7); its TypeScript type is inferred from the literal. */
export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: { readonly [name: string]: JsonSchema }
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly [keyword: string]: unknown
}

/** What every API of AgentScope takes for a schema. */
export type Schema = StandardSchema | JsonSchema

type Simplify<T> = { [K in keyof T]: T[K] } & {}
type FromProperties<P, R extends string> = Simplify<
  { -readonly [K in keyof P as K extends R ? K : never]: FromJsonSchema<P[K]> } & {
    -readonly [K in keyof P as K extends R ? never : K]?: FromJsonSchema<P[K]>
  }
>

/** One type of several (`type: ["string", "null"]`) at a time. */
type FromTypes<T, S> = T extends string ? FromJsonSchema<Omit<S, "type"> & { readonly type: T }> : never

/** The type of the values that a JSON Schema literal accepts; what it cannot say is `JsonValue`. */
export type FromJsonSchema<S> = S extends { readonly const: infer C }
  ? C
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly anyOf: readonly (infer A)[] }
      ? FromJsonSchema<A>
      : S extends { readonly type: readonly (infer T)[] }
        ? FromTypes<T, S>
        : S extends { readonly type: "string" }
          ? string
          : S extends { readonly type: "number" | "integer" }
            ? number
            : S extends { readonly type: "boolean" }
              ? boolean
              : S extends { readonly type: "null" }
                ? null
                : S extends { readonly type: "array"; readonly items: infer I }
                  ? FromJsonSchema<I>[]
                  : S extends {
                        readonly type: "object"
                        readonly properties: infer P
                        readonly required: readonly (infer R extends string)[]
                      }
                    ? FromProperties<P, R>
                    : S extends { readonly type: "object"; readonly properties: infer P }
                      ? FromProperties<P, never>
                      : S extends { readonly type: "object" }
                        ? JsonObject
                        : string extends keyof S
                          ? JsonObject
                          : JsonValue

/** What a caller writes: before defaults and transforms. */
export type InferInput<S> = S extends StandardSchema ? NonNullable<S["~standard"]["types"]>["input"] : FromJsonSchema<S>
/** What validated code receives: after defaults and transforms. */
export type InferOutput<S> = S extends StandardSchema
  ? NonNullable<S["~standard"]["types"]>["output"]
  : FromJsonSchema<S>
