// For packages that keep tables of their own in SQLite, in a file that they may share with sessions.
export { DatabaseFile } from "./sqlite/database-file.ts"
export {
  adviceFor,
  type Database,
  type DatabasePart,
  isBusy,
  isDamaged,
  openDatabase,
  transaction,
  whenFree,
} from "./sqlite/open-database.ts"
