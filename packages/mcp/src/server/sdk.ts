// The one module of the server that knows the SDK.
import type { JsonObject, JsonValue } from "@agentscope-ts/message"
import type { RequestOptions } from "@modelcontextprotocol/sdk/shared/protocol.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"
import { mcpError } from "../error.ts"
import { rpcCodeOf } from "./rpc-code.ts"
import type { RequestId, Wire, WireMessage } from "./wire.ts"

/** A client's request. */
export interface ClientRequest {
  readonly id: RequestId
  readonly method: string
  readonly params: JsonObject
  /** Aborts when the client cancels it, or goes. */
  readonly signal: AbortSignal
  /** Where its progress goes; absent when the client did not ask for it. */
  readonly progressToken?: RequestId
  readonly closeStream?: (() => void) | undefined
}

/** The terms of a request to the client. */
export interface PeerRequestOptions {
  /** The client's own request that this one belongs to. */
  readonly related?: RequestId | undefined
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs: number
}

/** The client's side of a connection. */
export interface Peer {
  request(method: string, params: JsonObject, options: PeerRequestOptions): Promise<JsonObject>
  /** Resolves also when it cannot be delivered any more. */
  notify(method: string, params?: JsonObject, related?: RequestId): Promise<void>
  close(): Promise<void>
}

/** What a connection does with what the client sends. */
export interface PeerHandlers {
  /** Answers a request; what it throws is the answer's error. */
  request(request: ClientRequest): Promise<JsonObject>
  closed(): void
}

/** What the server takes from the SDK. */
export interface ServerSdk {
  readonly latestVersion: string
  readonly versions: readonly string[]
  isMessage(value: unknown): value is WireMessage
  /** The params of a request, checked; throws `invalid_input` for those that the protocol does not allow. */
  paramsOf(request: ClientRequest): JsonObject
  /** The variables of a URI that fits a template (RFC 6570), still encoded; `undefined` for one that does not. */
  matchUri(template: string, uri: string): Readonly<Record<string, string | string[]>> | undefined
  open(wire: Wire, handlers: PeerHandlers): Promise<Peer>
}

let loaded: Promise<ServerSdk> | undefined

/** The SDK, loaded with the first connection. */
export function serverSdk(): Promise<ServerSdk> {
  loaded ??= load()
  return loaded
}

async function load(): Promise<ServerSdk> {
  const [{ Protocol }, types, { UriTemplate }] = await Promise.all([
    import("@modelcontextprotocol/sdk/shared/protocol.js"),
    import("@modelcontextprotocol/sdk/types.js"),
    import("@modelcontextprotocol/sdk/shared/uriTemplate.js"),
  ])

  class ServerProtocol extends Protocol<never, never, never> {
    protected override assertCapabilityForMethod(): void {}
    protected override assertNotificationCapability(): void {}
    protected override assertRequestHandlerCapability(): void {}
    protected override assertTaskCapability(): void {}
    protected override assertTaskHandlerCapability(): void {}
  }

  const schemas: Readonly<Record<string, { safeParse(value: unknown): { success: boolean; error?: Error } }>> = {
    initialize: types.InitializeRequestSchema,
    "tools/list": types.ListToolsRequestSchema,
    "tools/call": types.CallToolRequestSchema,
    "resources/list": types.ListResourcesRequestSchema,
    "resources/templates/list": types.ListResourceTemplatesRequestSchema,
    "resources/read": types.ReadResourceRequestSchema,
    "resources/subscribe": types.SubscribeRequestSchema,
    "resources/unsubscribe": types.UnsubscribeRequestSchema,
    "prompts/list": types.ListPromptsRequestSchema,
    "prompts/get": types.GetPromptRequestSchema,
    "completion/complete": types.CompleteRequestSchema,
    "logging/setLevel": types.SetLevelRequestSchema,
  }

  return {
    latestVersion: types.LATEST_PROTOCOL_VERSION,
    versions: types.SUPPORTED_PROTOCOL_VERSIONS,
    isMessage: (value): value is WireMessage => types.JSONRPCMessageSchema.safeParse(value).success,
    paramsOf: ({ method, params }) => {
      const parsed = schemas[method]?.safeParse({ method, params })
      if (parsed === undefined || parsed.success) return params
      const issues = (parsed.error as unknown as { issues: readonly { path: PropertyKey[]; message: string }[] }).issues
      const told = issues
        .slice(0, 5)
        .map(({ path, message }) => `${path.map(String).join(".") || "params"}: ${message}`)
      throw mcpError("invalid_input", `The params of ${method} are not as the protocol has them: ${told.join("; ")}.`)
    },
    matchUri: (template, uri) => new UriTemplate(template).match(uri) ?? undefined,
    open: async (wire, handlers) => {
      const protocol = new ServerProtocol()
      protocol.fallbackRequestHandler = async (request, extra) => {
        const progressToken = extra._meta?.progressToken
        const asked = {
          id: request.id,
          method: request.method,
          params: (request.params ?? {}) as JsonObject,
          signal: extra.signal,
          ...(progressToken !== undefined && { progressToken }),
          closeStream: extra.closeSSEStream,
        }
        try {
          return (await handlers.request(asked)) as never
        } catch (error) {
          const { code, message, data } = rpcCodeOf(error)
          const told = new types.McpError(code, message, data)
          // without the prefix that its constructor adds
          told.message = message
          throw told
        }
      }
      // the SDK's own leaves the request with id 0 running
      protocol.setNotificationHandler(types.CancelledNotificationSchema, ({ params: { requestId, reason } }) => {
        if (requestId === undefined) return
        const running = protocol as unknown as { _requestHandlerAbortControllers: Map<RequestId, AbortController> }
        const controller = running._requestHandlerAbortControllers.get(requestId)
        if (controller === undefined) return
        controller.abort(reason)
        wire.dropped(requestId)
      })
      protocol.onclose = () => handlers.closed()
      protocol.onerror = () => {}
      await protocol.connect(asTransport(wire))
      return {
        request: async (method, params, { related, signal, timeoutMs }) => {
          const options: RequestOptions = {
            timeout: Math.min(timeoutMs, 2 ** 31 - 1),
            ...(related !== undefined && { relatedRequestId: related }),
            ...(signal && { signal }),
          }
          try {
            const result = await protocol.request({ method, params } as never, types.ResultSchema, options)
            return result as unknown as JsonObject
          } catch (cause) {
            throw told(method, cause, signal, types.ErrorCode)
          }
        },
        notify: async (method, params, related) => {
          const options = related === undefined ? {} : { relatedRequestId: related }
          try {
            await protocol.notification({ method, ...(params && { params }) } as never, options)
          } catch {
            // the client is gone; whoever waits for it is told by the signal
          }
        },
        close: () => protocol.close(),
      }
    },
  }
}

/** What went wrong with a request to the client. */
function told(
  method: string,
  cause: unknown,
  signal: AbortSignal | undefined,
  codes: { RequestTimeout: number; ConnectionClosed: number },
): unknown {
  if (signal?.aborted) return signal.reason
  const { code, message, data } = cause as { code?: unknown; message?: string; data?: JsonValue }
  if (code === codes.RequestTimeout)
    return mcpError("timeout", `The client did not answer ${method} in time.`, { cause })
  if (code === codes.ConnectionClosed || typeof code !== "number") {
    return mcpError("connection_closed", `The client went away before it answered ${method}.`, { cause })
  }
  return mcpError("client_error", `The client answered ${method} with an error: ${message} (${code}).`, {
    cause,
    details: { code, ...(data !== undefined && { data }) },
  })
}

/** A wire in the form that the SDK takes. */
function asTransport(wire: Wire): Transport {
  const transport: Transport = {
    start: async () => {
      wire.onmessage = (message, extra) =>
        transport.onmessage?.(message as unknown as JSONRPCMessage, {
          ...(extra?.closeStream && { closeSSEStream: extra.closeStream }),
        })
      wire.onclose = () => transport.onclose?.()
      await wire.start()
    },
    send: (message, options) => wire.send(message as unknown as WireMessage, options?.relatedRequestId),
    close: () => wire.close(),
  }
  return transport
}
