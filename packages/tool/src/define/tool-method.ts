import type { InferOutput, Schema } from "@agentscope-ts/message"
import type { ToolContext } from "../context.ts"
import { toolError } from "../error.ts"
import type { AnyTool } from "./definition.ts"
import { type ToolConfig, tool } from "./tool.ts"

/** The options of {@link toolMethod}: those of `tool()`; the name is the method's unless given. */
export type ToolMethodConfig<S> = Omit<ToolConfig<S>, "name"> & {
  name?: string | undefined
}

type Method = (input: never, ctx: ToolContext) => unknown
interface Marked {
  readonly name: string
  readonly config: ToolMethodConfig<Schema>
  readonly get: (instance: object) => Method
}

/** The decorated methods of each instance: filled while it is constructed, base class first. */
const marked = new WeakMap<object, Map<string | symbol, Marked>>()
const made = new WeakMap<object, readonly AnyTool[]>()

/**
 * Makes a method a tool: `toolsOf(instance)` gives it. A standard decorator, for TypeScript 5 and later without
 * `experimentalDecorators`. A method that overrides a decorated one takes its place.
 */
export function toolMethod<const S extends Schema>(
  config: ToolMethodConfig<S>,
): <This, R>(
  method: (this: This, input: InferOutput<S>, ctx: ToolContext) => R,
  context: ClassMethodDecoratorContext<This>,
) => void {
  if (typeof config !== "object" || config === null) {
    throw toolError("invalid_tool", "toolMethod() takes an object: @toolMethod({ description, input }).")
  }
  return (_method, context) => {
    if ((context as { readonly kind?: unknown } | undefined)?.kind !== "method") throw misplaced(context)
    const name = config.name ?? (typeof context.name === "symbol" ? undefined : context.name.replace(/^#/, ""))
    if (name === undefined) {
      throw toolError(
        "invalid_tool",
        "A method with a symbol for a name needs a name as a tool: toolMethod({ name, … }).",
      )
    }
    const get = (instance: object): Method => context.access.get(instance as never) as Method
    context.addInitializer(function () {
      const instance = this as object
      let methods = marked.get(instance)
      if (methods === undefined) marked.set(instance, (methods = new Map()))
      methods.set(context.name, { name, config: config as unknown as ToolMethodConfig<Schema>, get })
    })
  }
}

/** The tools that an instance's decorated methods are (a class's, for static methods), base class first. */
export function toolsOf(instance: object): readonly AnyTool[] {
  if ((typeof instance !== "object" && typeof instance !== "function") || instance === null) {
    throw toolError("invalid_argument", `toolsOf() takes an object with @toolMethod methods, not ${String(instance)}.`)
  }
  let tools = made.get(instance)
  if (tools === undefined) {
    tools = Array.from(methodsOf(instance).values(), ({ name, config, get }) =>
      tool({ ...config, name, execute: (input: unknown, ctx) => get(instance).call(instance, input as never, ctx) }),
    )
    made.set(instance, tools)
  }
  return tools
}

/** The methods of an instance; of a class, also the static ones that it inherits. */
function methodsOf(instance: object): ReadonlyMap<string | symbol, Marked> {
  if (typeof instance !== "function") return marked.get(instance) ?? new Map()
  const above: unknown = Object.getPrototypeOf(instance)
  return new Map([...(typeof above === "function" ? methodsOf(above) : []), ...(marked.get(instance) ?? [])])
}

function misplaced(context: unknown): Error {
  const { kind } = Object(context) as { readonly kind?: unknown }
  const why =
    typeof kind === "string"
      ? `it decorates a ${kind}, and only methods can be tools`
      : "it is a standard decorator: compile without experimentalDecorators"
  return toolError("invalid_tool", `@toolMethod cannot be used so: ${why}.`)
}
