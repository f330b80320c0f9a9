// anywhere in a name; then as a word of it, for words that are also parts of others (AUTHOR, MONKEY, COMPASS)
const secretPart = /PASSW(?:OR)?D|PASSPHRASE|SECRET|CREDENTIAL|APIKEY|TOKENS?$/i
const secretWord = /(?:^|_)(?:KEYS?|TOKENS?|PASS|CREDS|COOKIES?|JWT|DSN|PAT|AUTH|CONNECTION_?STRING)(?:$|_)|_PWD$/i
// a password in a URL, and keys by their known beginnings
const secretValue =
  /:\/\/[^\s/@]*:[^\s/@]+@|^(?:sk-|sk_|rk_|gh[opusr]_|github_pat_|glpat-|xox[abeprs]-|npm_|hf_|gsk_|AKIA|ASIA|AIza|eyJ[\w-]+\.)|-----BEGIN [A-Z ]*PRIVATE KEY/

// sockets, proxies and settings: no secrets in themselves, and git or the network do not work without
const kept = /^(?:SSH_AUTH_SOCK|XAUTHORITY|(?:https?|all|no|ftp)_proxy|GIT_CONFIG_KEY_\d+)$/i

/** Whether a variable looks like a credential, by its name or its value. */
export function looksSecret(name: string, value: string): boolean {
  return !kept.test(name) && (secretPart.test(name) || secretWord.test(name) || secretValue.test(value))
}

/**
 * The environment that commands get: this program's without what looks like a credential, settings that keep programs from
 * waiting for a person or paging, and `added` over all of it. Git is told to refuse a repository that lies among another
 * one's files (`safe.bareRepository`): its settings could start programs.
 */
export function commandEnvironment(added: Readonly<Record<string, string>> = {}): Record<string, string> {
  const environment: Record<string, string> = {}
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !looksSecret(name, value)) environment[name] = value
  }
  const settings = Number.parseInt(environment["GIT_CONFIG_COUNT"] ?? "0", 10) || 0
  return {
    ...environment,
    PAGER: "cat",
    GIT_PAGER: "cat",
    GIT_TERMINAL_PROMPT: "0",
    GIT_CONFIG_COUNT: String(settings + 1),
    [`GIT_CONFIG_KEY_${settings}`]: "safe.bareRepository",
    [`GIT_CONFIG_VALUE_${settings}`]: "explicit",
    ...added,
  }
}
