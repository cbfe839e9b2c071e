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
