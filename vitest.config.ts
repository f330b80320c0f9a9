import { readdirSync } from "node:fs"
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

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    projects: [...folders, types],
    include: ["**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**", "**/.generated/**"],
    testTimeout: 20_000,
  },
})
