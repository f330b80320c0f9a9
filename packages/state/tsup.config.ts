import { packageConfig } from "../../tooling/config/tsup.mjs"

export default packageConfig(["src/index.ts", "src/sqlite.ts"])
