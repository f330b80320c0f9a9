import * as fc from "fast-check"
import { afterEach, expect, test } from "vitest"
import { forgetEnvironment, markRedacted, redact } from "./redact.ts"

afterEach(() => {
  delete process.env["AGENTSCOPE_TEST_API_KEY"]
  forgetEnvironment()
  markRedacted("")
})

const x = (length: number) => "aB3dE5gH7jK9mN1p".repeat(8).slice(0, length)

test.each([
  ["OpenAI", `sk-proj-${x(40)}`],
  ["OpenAI in a sentence", `Incorrect API key provided: sk-${x(30)}.`],
  ["Anthropic", `sk-ant-api03-${x(60)}`],
  ["Google", `AIza${x(35)}`],
  ["Groq", `gsk_${x(40)}`],
  ["Hugging Face", `hf_${x(34)}`],
  ["xAI", `xai-${x(40)}`],
  ["GitHub", `ghp_${x(36)}`],
  ["GitHub, fine", `github_pat_${x(22)}_${x(40)}`],
  ["GitLab", `glpat-${x(20)}`],
  ["Slack", `xoxb-1234567890-${x(20)}`],
  ["npm", `npm_${x(36)}`],
  ["AWS", "AKIAABCDEFGH12345678"],
  ["JWT", `eyJ${x(20)}.eyJ${x(30)}.${x(20)}`],
  ["a header", `Authorization: Bearer ${x(20)}`],
  ["basic", `authorization: basic ${x(20)}==`],
  ["a variable", `OPENAI_API_KEY=${x(12)}`],
  ["a query", `https://host/path?api_key=${x(12)}&q=1`],
  ["a password with spaces in JSON", `{"password": "aB3 correct horse"}`],
  ["JSON", `{"api_key":"${x(10)}","b":1}`],
  ["JSON in JSON", JSON.stringify({ body: JSON.stringify({ clientSecret: x(10) }) })],
  ["a header object", `{"x-api-key": "${x(20)}"}`],
  ["credentials in a URL", `postgres://admin:${x(10)}@db.example.com/x`],
  ["a private key", `-----BEGIN RSA PRIVATE KEY-----\n${x(60)}\n-----END RSA PRIVATE KEY-----`],
  ["a private key cut off", `{"a":"-----BEGIN PRIVATE KEY-----\\n${x(60)}","b":2}`],
])("masks the secret: %s", (_name, text) => {
  const result = redact(text)
  expect(result).toContain("[redacted]")
  expect(result).not.toContain("aB3")
  expect(result).not.toContain("12345678")
  if (text.startsWith("{")) expect(() => JSON.parse(result)).not.toThrow()
})

test.each([
  "task-management-for-teams-2024 is a name",
  "the sk-learn-compatible-estimator API",
  "max_tokens: 4096, input_tokens: 120000",
  "your password is safe; tokenization=fast",
  '{"total_tokens":123456,"key":"value of something"}',
  "basic arithmetic, bearer of news",
  "send the header Authorization: Bearer YOUR_API_KEY",
  "npm_config_registry_and_more",
  "see https://example.com:8080/a@b",
  "short",
])("leaves ordinary text alone: %s", (text) => {
  expect(redact(text)).toBe(text)
})

test("JSON stays JSON, also where a number stands for the secret", () => {
  expect(redact('{"password":12345678,"n":1}')).toBe('{"password":0,"n":1}')
  const values = fc.oneof(fc.string(), fc.integer(), fc.constant(`sk-${x(20)}`), fc.constant(null))
  const keys = fc.oneof(fc.constantFrom("password", "api_key", "x", "accessToken", "private_key"), fc.string())
  const json = fc.dictionary(keys, fc.oneof(values, fc.array(values), fc.dictionary(keys, values)))
  fc.assert(
    fc.property(json, (value) => {
      const text = JSON.stringify(value)
      expect(() => JSON.parse(redact(text))).not.toThrow()
      expect(() => JSON.parse(JSON.parse(redact(JSON.stringify(text))))).not.toThrow()
    }),
    { seed: 7, numRuns: Number(process.env["AGENTSCOPE_SOAK"] ?? 0) > 0 ? 5000 : 500 },
  )
})

test("the values of environment variables that are named like secrets are masked wherever they turn up", () => {
  process.env["AGENTSCOPE_TEST_API_KEY"] = "plain(words).here"
  forgetEnvironment()
  expect(redact("env said: plain(words).here!")).toBe("env said: [redacted]!")
  expect(redact(`${process.env["PATH"]}`)).toBe(process.env["PATH"])
})

test("text put together from redacted parts is not read again", () => {
  const text = `left as it is: sk-${x(20)}`
  expect(redact(markRedacted(text))).toBe(text)
  expect(redact(`${text} `)).toContain("[redacted]")
})
