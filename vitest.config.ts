import { readdirSync } from "node:fs"
import { defineConfig } from "vitest/config"

const conditions = ["@agentscope-ts/source", "module", "node", "development|production"]
const projects = ["packages", "apps", "tooling"].flatMap((dir) =>
  readdirSync(new URL(dir, import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "config")
    .map((entry) => ({
      extends: true as const,
      test: { name: entry.name, root: `${dir}/${entry.name}`, include: ["**/*.test.ts"] },
    })),
)

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: { projects, testTimeout: 20_000, exclude: ["**/node_modules/**", "**/dist/**"] },
})
