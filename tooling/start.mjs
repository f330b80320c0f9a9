// `npm start`: runs Friday straight from its TypeScript sources, in this process: nothing to build, no child that could be
// left behind or keep Ctrl-C and the exit status to itself. Node strips the types; its compile cache makes that free from
// the second start on.
import { enableCompileCache, registerHooks } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
enableCompileCache(join(root, "node_modules", ".cache", "friday"))
// workspace packages resolve to their sources, as in the tests
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, { ...context, conditions: [...context.conditions, "@agentscope-ts/source"] }),
})
const { main } = await import("../apps/friday/src/main.ts")
process.exit(await main(process.argv.slice(2)))
