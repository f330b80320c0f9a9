/** Codes thrown by this package: an optional peer is not installed; an SDK is registered already; an option is wrong. */
export type TracingErrorCode = "missing_dependency" | "already_started" | "invalid_argument"
