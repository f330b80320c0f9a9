import { readdirSync } from "node:fs"
import { transform } from "esbuild"
import { defineConfig } from "vitest/config"

const conditions = ["@agentscope-ts/source", "module", "node", "development|production"]
/** One project per workspace folder; tests run on sources. */
const folders = ["packages", "apps", "tooling"].flatMap((dir) =>
  readdirSync(new URL(dir, import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "config" && entry.name !== "docs")
    .map((entry) => ({ extends: true as const, test: { name: entry.name, root: `${dir}/${entry.name}` } })),
)
/** All type tests in one run of the compiler. */
const types = {
  extends: true as const,
  test: {
    name: "types",
    include: [],
    typecheck: {
      enabled: true,
      only: true,
      checker: "tsc",
      tsconfig: "./tsconfig.json",
      include: ["{packages,apps}/*/src/**/*.test-d.ts"],
    },
  },
}

/** Decorators, which the parser of vitest and the type stripping of Node refuse, go through esbuild first. */
const decorators = {
  name: "decorators",
  enforce: "pre" as const,
  async transform(code: string, id: string) {
    if (!id.endsWith(".ts") || !/^\s*@\w+\(/m.test(code)) return undefined
    const { code: js, map } = await transform(code, {
      loader: "ts",
      target: "node22.18",
      sourcefile: id,
      sourcemap: true,
      tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
    })
    return { code: js, map }
  },
}

export default defineConfig({
  plugins: [decorators],
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    projects: [...folders, types],
    include: ["**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**", "**/.generated/**"],
    testTimeout: 20_000,
  },
})
