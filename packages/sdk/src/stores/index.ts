export type {
  SessionKey,
  SessionStore,
  SessionStoreEntry,
  SessionStoreFlush,
  SessionSummaryEntry,
} from "./session-store.ts";
export { foldSessionSummary } from "./summary.ts";
export { InMemorySessionStore } from "./memory.ts";
export { FileSessionStore, type FileSessionStoreOptions } from "./file.ts";
export {
  SqliteSessionStore,
  type SqliteDatabase,
  type SqliteSessionStoreOptions,
  type SqliteStatement,
} from "./sqlite.ts";
export { PostgresSessionStore, type PostgresClient, type PostgresSessionStoreOptions } from "./postgres.ts";
export { RedisSessionStore, type RedisCommand, type RedisSessionStoreOptions } from "./redis.ts";
export { sessionStoreConformance, type ConformanceCheck } from "./conformance.ts";
