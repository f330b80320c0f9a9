/**
 * Codes thrown by this package: state that does not fit the module, two states under one key, a module that holds itself,
 * a value that is no JSON.
 */
export type StateErrorCode = "invalid_state" | "name_clash" | "state_cycle" | "invalid_argument"
