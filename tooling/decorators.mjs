// Lets Node run TypeScript with decorators, which its type stripping refuses: `node --import ./tooling/decorators.mjs x.ts`.
import { readFileSync } from "node:fs"
import { createRequire, registerHooks } from "node:module"
import { fileURLToPath } from "node:url"

const require = createRequire(import.meta.url)

registerHooks({
  load(url, context, next) {
    if (!url.startsWith("file:") || !url.endsWith(".ts")) return next(url, context)
    const file = fileURLToPath(url)
    const source = readFileSync(file, "utf8")
    if (!/^\s*@\w+\(/m.test(source)) return next(url, context)
    const { transformSync } = require("esbuild")
    const { code } = transformSync(source, {
      loader: "ts",
      target: "node22.18",
      sourcefile: file,
      sourcemap: "inline",
      tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
    })
    return { format: "module", source: code, shortCircuit: true }
  },
})
