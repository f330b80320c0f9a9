import type { Msg } from "@agentscope-ts/message"
import { agentScope, startSpan } from "@agentscope-ts/tracing"
import type { FormatAccess, Formatter } from "../formatter.ts"
import type { ConversationBody } from "./conversation-body.ts"
import { wireJson } from "./json.ts"

/**
 * The body of a request: `head`, which ends with the opening bracket of its messages, then the messages in the
 * formatter's form, then `tail` (`]}` unless more follows; with a comma before a further message). Where the formatter
 * takes messages one by one, only those are formatted that are new to the body. A promise only where the formatter needs
 * to wait.
 */
export function renderBody(
  body: ConversationBody,
  head: string,
  formatter: Formatter,
  messages: readonly Msg[],
  tail = "]}",
  access?: FormatAccess,
): Uint8Array | Promise<Uint8Array> {
  if (!formatter.incremental) return renderAll(head, formatter, messages, tail, access)
  body.belongTo(formatter)
  const span = startSpan("format", formatter.provider)
  span?.set({ [agentScope.formatTarget]: formatter.provider, [agentScope.formatCount]: messages.length })
  try {
    const encode = (msg: Msg): string | Promise<string> => {
      const wire = formatter.formatMessage?.(msg)
      return wire ? jsonOf(wire) : formatter.format([msg], access).then(jsonOf)
    }
    return body.render(head, messages, encode, tail)
  } catch (error) {
    span?.fail(error)
    throw error
  } finally {
    span?.end()
  }
}

async function renderAll(
  head: string,
  formatter: Formatter,
  messages: readonly Msg[],
  tail: string,
  access: FormatAccess | undefined,
): Promise<Uint8Array> {
  const json = jsonOf(await formatter.format(messages, access))
  return new TextEncoder().encode(`${head}${json}${json === "" ? tail.replace(/^,/, "") : tail}`)
}

/** Messages as JSON, without the brackets of the list. */
function jsonOf(wire: readonly unknown[]): string {
  return wire.length === 1 ? wireJson(wire[0]) : wire.map(wireJson).join(",")
}
