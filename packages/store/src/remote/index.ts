// Entry point for stores elsewhere: what they are, the ones we have, and what reads them. Neither a run nor a resume from
// disk loads it.

export type {
  SessionKey,
  SessionStore,
  SessionStoreEntry,
  SessionStoreFlush,
  SessionSummaryEntry,
} from "./session-store.ts";
export { foldSessionSummary } from "./summary.ts";
export { InMemorySessionStore } from "./kinds/memory.ts";
export { FileSessionStore, type FileSessionStoreOptions } from "./kinds/file.ts";
export {
  SqliteSessionStore,
  type SqliteDatabase,
  type SqliteSessionStoreOptions,
  type SqliteStatement,
} from "./kinds/sqlite.ts";
export { PostgresSessionStore, type PostgresClient, type PostgresSessionStoreOptions } from "./kinds/postgres.ts";
export { RedisSessionStore, type RedisCommand, type RedisSessionStoreOptions } from "./kinds/redis.ts";
export { sessionStoreConformance, type ConformanceCheck } from "./conformance.ts";
export { configDirOf, projectKeyOf } from "./key.ts";
export { inTimeOrder } from "./resume/time-order.ts";
export { BATCH_ENTRIES, entriesOfFile, inBatches, readSidecar } from "./transcript-file.ts";
