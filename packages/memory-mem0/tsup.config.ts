import { packageConfig } from "../../tooling/config/tsup.mjs"

export default packageConfig()
