/** Everything that signing in takes from the MCP SDK. */
export { buildDiscoveryUrls, startAuthorization } from "@modelcontextprotocol/sdk/client/auth.js"
export { createPrivateKeyJwtAuth } from "@modelcontextprotocol/sdk/client/auth-extensions.js"
export { checkResourceAllowed } from "@modelcontextprotocol/sdk/shared/auth-utils.js"
