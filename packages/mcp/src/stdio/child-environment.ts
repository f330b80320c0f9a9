/** Variables that programs need and that hold no secret. */
const posix = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ"]
const windows =
  "APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATH PATHEXT PROCESSOR_ARCHITECTURE PROGRAMDATA PROGRAMFILES SYSTEMDRIVE SYSTEMROOT TEMP TMP USERNAME USERPROFILE WINDIR".split(
    " ",
  )

/** Names of variables are the same in whatever case on Windows. */
const sameName = (platform: NodeJS.Platform, name: string): string => (platform === "win32" ? name.toUpperCase() : name)

/**
 * The environment of a server: harmless variables of this process, and `given` over them. Keys and tokens of this process do
 * not get there unless given; neither do values that are shell functions (`() …`), as with the protocol's own SDK.
 */
export function childEnvironment(
  given: Readonly<Record<string, string | undefined>> = {},
  platform: NodeJS.Platform = process.platform,
  parent: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const safe = new Set(platform === "win32" ? windows : posix)
  const named = new Set(Object.keys(given).map((name) => sameName(platform, name)))
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(parent)) {
    const same = sameName(platform, name)
    if (value !== undefined && safe.has(same) && !named.has(same) && !value.startsWith("()")) env[name] = value
  }
  for (const [name, value] of Object.entries(given)) if (value !== undefined) env[name] = value
  return env
}
