import { afterEach, describe, expect, it, vi } from "vitest"
import { commandEnvironment, looksSecret } from "./environment.ts"

afterEach(() => vi.unstubAllEnvs())

describe("what commands find in their environment", () => {
  it.each([
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "GITHUB_TOKEN",
    "GH_TOKEN",
    "NPM_TOKEN",
    "DB_PASSWORD",
    "PGPASSWORD",
    "MYSQL_PWD",
    "DB_PASS",
    "STRIPE_KEY",
    "SECRET",
    "client_secret",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "JWT",
    "SENTRY_DSN",
    "NPM_AUTH",
    "AZURE_CONNECTION_STRING",
    "GITLAB_PAT",
    "SSH_PASSPHRASE",
    "APIKEY",
  ])("not %s", (name) => {
    expect(looksSecret(name, "x")).toBe(true)
  })

  it.each([
    ["DATABASE_URL", "postgres://user:hunter2@host/db"],
    ["X", "sk-abc"],
    ["X", "ghp_abcdef"],
    ["X", "AKIAABCDEF"],
    ["X", "-----BEGIN RSA PRIVATE KEY-----"],
  ])("not a secret by its value: %s=%s", (name, value) => {
    expect(looksSecret(name, value)).toBe(true)
  })

  it.each([
    ["PATH", "/bin"],
    ["HOME", "/root"],
    ["PWD", "/x"],
    ["OLDPWD", "/x"],
    ["AUTHOR", "x"],
    ["GIT_AUTHOR_NAME", "x"],
    ["KEYBOARD", "x"],
    ["MONKEY", "x"],
    ["COMPASS", "x"],
    ["SSH_AUTH_SOCK", "/run/x"],
    ["HTTPS_PROXY", "http://u:p@proxy"],
    ["no_proxy", "x"],
    ["DATABASE_URL", "postgres://host/db"],
    ["LANG", "C"],
    ["TOKENIZERS_PARALLELISM", "1"],
  ])("but %s=%s", (name, value) => {
    expect(looksSecret(name, value)).toBe(false)
  })

  it("is the program's, without credentials, with settings against waiting, and what is added", () => {
    vi.stubEnv("SOME_API_KEY", "secret")
    vi.stubEnv("SOME_SETTING", "kept")
    vi.stubEnv("PAGER", "less")
    vi.stubEnv("GIT_CONFIG_COUNT", "1")
    vi.stubEnv("GIT_CONFIG_KEY_0", "user.name")
    vi.stubEnv("GIT_CONFIG_VALUE_0", "me")
    const environment = commandEnvironment({ ADDED_TOKEN: "given" })
    expect(environment).toMatchObject({
      SOME_SETTING: "kept",
      PAGER: "cat",
      GIT_TERMINAL_PROMPT: "0",
      ADDED_TOKEN: "given",
    })
    expect(environment).toMatchObject({
      GIT_CONFIG_COUNT: "2",
      GIT_CONFIG_KEY_0: "user.name",
      GIT_CONFIG_KEY_1: "safe.bareRepository",
    })
    expect(environment["SOME_API_KEY"]).toBeUndefined()
    expect(commandEnvironment({ SOME_API_KEY: "wanted", PAGER: "most" })).toMatchObject({
      SOME_API_KEY: "wanted",
      PAGER: "most",
    })
  })
})
