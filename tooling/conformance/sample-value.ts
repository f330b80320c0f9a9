type Node = Readonly<Record<string, unknown>>
const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * A value that a JSON Schema accepts, for the schemas of real tools: all properties where `full`, else the required ones.
 * It knows the usual keywords; who uses it has to check that the value is accepted.
 */
export function sampleValue(schema: unknown, full: boolean, root: unknown = schema, depth = 0): unknown {
  if (!isNode(schema)) return "anything"
  const again = (inner: unknown): unknown => sampleValue(inner, full && depth < 4, root, depth + 1)
  if (typeof schema["$ref"] === "string") return again(resolved(schema["$ref"], root))
  if ("const" in schema) return schema["const"]
  if (Array.isArray(schema["enum"])) return schema["enum"][0]
  for (const key of ["anyOf", "oneOf"]) {
    const options = schema[key]
    if (Array.isArray(options)) return again({ ...schema, [key]: undefined, ...(isNode(options[0]) ? options[0] : {}) })
  }
  if (Array.isArray(schema["allOf"])) {
    const merged = schema["allOf"].reduce<Node>((all, part) => mergedInto(all, isNode(part) ? part : {}, root), schema)
    return again({ ...merged, allOf: undefined })
  }
  const type = Array.isArray(schema["type"]) ? (schema["type"] as readonly unknown[])[0] : schema["type"]
  switch (type ?? (isNode(schema["properties"]) ? "object" : "string")) {
    case "object":
      return objectOf(schema, full, again)
    case "array": {
      const tuple = Array.isArray(schema["prefixItems"])
        ? schema["prefixItems"]
        : Array.isArray(schema["items"])
          ? schema["items"]
          : []
      const least = Math.max(Number(schema["minItems"] ?? 0), full && tuple.length === 0 ? 1 : 0, tuple.length)
      return Array.from({ length: least }, (_, i) =>
        again(tuple[i] ?? (Array.isArray(schema["items"]) ? {} : schema["items"])),
      )
    }
    case "integer":
    case "number":
      return numberOf(schema)
    case "boolean":
      return true
    case "null":
      return null
    default:
      return textOf(schema)
  }
}

function objectOf(schema: Node, full: boolean, again: (inner: unknown) => unknown): Node {
  const properties = isNode(schema["properties"]) ? schema["properties"] : {}
  const required = Array.isArray(schema["required"]) ? (schema["required"] as readonly string[]) : []
  const names = full ? [...new Set([...Object.keys(properties), ...required])] : required
  return Object.fromEntries(
    names.map((name) => [name, again(properties[name] ?? schema["additionalProperties"] ?? {})]),
  )
}

function numberOf(schema: Node): number {
  const above = schema["exclusiveMinimum"]
  const low = Number(schema["minimum"] ?? (typeof above === "number" ? above + 1 : 1))
  const high = Number(schema["maximum"] ?? Number.POSITIVE_INFINITY)
  const step = Number(schema["multipleOf"] ?? 0)
  const value = Math.min(Math.max(low, schema["minimum"] === undefined && low < 1 ? 1 : low), high)
  return step > 0 ? Math.ceil(value / step) * step : value
}

const formats: Readonly<Record<string, string>> = {
  "date-time": "2026-12-01T00:00:00Z",
  date: "2026-12-01",
  time: "00:00:00Z",
  duration: "P1D",
  email: "a@example.com",
  hostname: "example.com",
  ipv4: "127.0.0.1",
  ipv6: "::1",
  uuid: "123e4567-e89b-12d3-a456-426614174000",
  uri: "https://example.com/",
  url: "https://example.com/",
}

function textOf(schema: Node): string {
  const text = formats[String(schema["format"])] ?? "text"
  return text
    .padEnd(Number(schema["minLength"] ?? 0), "x")
    .slice(0, Number(schema["maxLength"] ?? Number.POSITIVE_INFINITY))
}

function resolved(ref: string, root: unknown): unknown {
  let target = root
  for (const step of ref.slice(1).split("/").filter(Boolean)) {
    target = (target as Node)[decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~")]
  }
  return target
}

function mergedInto(all: Node, part: Node, root: unknown): Node {
  const own = typeof part["$ref"] === "string" ? { ...(resolved(part["$ref"], root) as Node) } : part
  const properties = { ...(all["properties"] as Node | undefined), ...(own["properties"] as Node | undefined) }
  const required = [
    ...((all["required"] as string[] | undefined) ?? []),
    ...((own["required"] as string[] | undefined) ?? []),
  ]
  return { ...all, ...own, properties, required }
}
