import { defineConfig } from "tsup"

/** One ESM bundle per entry; declarations come from `tsc -b`, which is why nothing is cleaned here. */
export const packageConfig = (entry = ["src/index.ts"]) =>
  defineConfig({
    entry,
    format: ["esm"],
    target: "node22.18",
    dts: false,
    clean: false,
    sourcemap: false,
    treeshake: true,
    splitting: true,
  })
