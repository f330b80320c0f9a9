export type { StateErrorCode } from "./error.ts"
export { type StateCodec, StateModule } from "./state-module.ts"
