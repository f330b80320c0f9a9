/** Variables that programs need and that hold no secret. */
const posix = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ"]
const windows =
  "APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATH PATHEXT PROCESSOR_ARCHITECTURE PROGRAMDATA PROGRAMFILES SYSTEMDRIVE SYSTEMROOT TEMP TMP USERNAME USERPROFILE WINDIR".split(
    " ",
  )

/** How the net is reached from here: without these `npx` and `uvx` hang behind a company's proxy. Read in both cases. */
const network = new Set(
  "NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY NPM_CONFIG_REGISTRY NPM_CONFIG_CAFILE".split(
    " ",
  ),
)

/** Names are the same in whatever case on Windows, and so are those of proxies and of npm everywhere. */
function sameName(platform: NodeJS.Platform, name: string): string {
  const upper = name.toUpperCase()
  return platform === "win32" || network.has(upper) ? upper : name
}

/**
 * The environment of a server: harmless variables of this process with those that lead to the net (certificates, proxies,
 * npm's registry), and `given` over them, in whatever case it names a proxy. Keys and tokens of this process do not get
 * there unless given; neither do values that are shell functions (`() …`), as with the protocol's own SDK.
 */
export function childEnvironment(
  given: Readonly<Record<string, string | undefined>> = {},
  platform: NodeJS.Platform = process.platform,
  parent: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const safe = new Set([...(platform === "win32" ? windows : posix), ...network])
  const named = new Set(Object.keys(given).map((name) => sameName(platform, name)))
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(parent)) {
    const same = sameName(platform, name)
    if (value !== undefined && safe.has(same) && !named.has(same) && !value.startsWith("()")) env[name] = value
  }
  for (const [name, value] of Object.entries(given)) if (value !== undefined) env[name] = value
  return env
}
