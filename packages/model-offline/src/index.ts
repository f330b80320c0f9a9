export { OfflineChatModel, type OfflineModelOptions } from "./offline-model.ts"
