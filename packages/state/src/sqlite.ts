// For packages that keep tables of their own in SQLite, in a file that they may share with sessions.
export {
  type Database,
  type DatabasePart,
  isDamaged,
  openDatabase,
  transaction,
  whenFree,
} from "./sqlite/open-database.ts"
