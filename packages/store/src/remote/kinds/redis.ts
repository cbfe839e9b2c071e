// A session store in Redis, through one function that sends a command. Every append is one script: it is atomic, and
// concurrent appends come before or after it, never between.

import { setTimeout as wait } from "node:timers/promises";
import type { SessionKey, SessionStore, SessionStoreEntry, SessionSummaryEntry } from "../session-store.ts";
import { foldSessionSummary } from "../summary.ts";

/**
 * Sends one command and returns its reply: `(args) => redis.call(...args)` with ioredis, `(args) =>
 * client.sendCommand(args)` with node-redis, `([name, ...args]) => client.send(name, args)` with Bun.
 */
export type RedisCommand = (args: [name: string, ...args: string[]]) => Promise<unknown>;

export interface RedisSessionStoreOptions {
  readonly command: RedisCommand;
  /** Prefix of the keys. */
  readonly prefix?: string;
}

const MOST_PER_SCRIPT = 1_000;
const MOST_ROUNDS = 200;

export class RedisSessionStore implements SessionStore {
  readonly #command: RedisCommand;
  readonly #prefix: string;

  constructor({ command, prefix = "keelson" }: RedisSessionStoreOptions) {
    this.#command = command;
    this.#prefix = prefix;
  }

  async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    for (let from = 0; from < entries.length; from += MOST_PER_SCRIPT) {
      await this.#appendBatch(key, entries.slice(from, from + MOST_PER_SCRIPT));
    }
  }

  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    const texts = await this.#list(["LRANGE", this.#entriesKey(key), "0", "-1"]);
    return texts.length === 0 ? null : texts.map((text) => JSON.parse(text) as SessionStoreEntry);
  }

  async listSessions(projectKey: string): Promise<Array<{ sessionId: string; mtime: number }>> {
    const summaries = await this.listSessionSummaries(projectKey);
    return summaries.map(({ sessionId, mtime }) => ({ sessionId, mtime }));
  }

  async listSessionSummaries(projectKey: string): Promise<SessionSummaryEntry[]> {
    const texts = await this.#list(["HVALS", this.#sessionsKey(projectKey)]);
    return texts.map((text) => JSON.parse(text) as SessionSummaryEntry);
  }

  async delete(key: SessionKey): Promise<void> {
    const keys = [this.#entriesKey(key), this.#uuidsKey(key), this.#subkeysKey(key), this.#sessionsKey(key.projectKey)];
    const script = key.subpath ? DELETE_SUBPATH : DELETE_SESSION;
    await this.#command(["EVAL", script, String(keys.length), ...keys, key.subpath || key.sessionId]);
  }

  async listSubkeys({ projectKey, sessionId }: { projectKey: string; sessionId: string }): Promise<string[]> {
    return (await this.#list(["SMEMBERS", this.#subkeysKey({ projectKey, sessionId })])).toSorted();
  }

  /**
   * Computes the new summary. If another writer appended in the meantime, the script does nothing and we read again.
   */
  async #appendBatch(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    const sessions = this.#sessionsKey(key.projectKey);
    const keys = [this.#entriesKey(key), this.#uuidsKey(key), key.subpath ? this.#subkeysKey(key) : sessions];
    const pairs = entries.flatMap((entry) => [typeof entry.uuid === "string" ? entry.uuid : "", JSON.stringify(entry)]);
    if (key.subpath) {
      await this.#command(["EVAL", APPEND_SUBPATH, "3", ...keys, key.subpath, ...pairs]);
      return;
    }
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const reply = await this.#command(["HGET", sessions, key.sessionId]);
      const before = reply === null || reply === undefined ? "" : String(reply);
      const previous = before === "" ? undefined : (JSON.parse(before) as SessionSummaryEntry);
      // Never the same text twice in a row, or a script could not tell that someone else wrote.
      const mtime = Math.max(Date.now(), (previous?.mtime ?? 0) + 1);
      const after = JSON.stringify(foldSessionSummary(previous, key, entries, { mtime }));
      const done = await this.#command(["EVAL", APPEND_SESSION, "3", ...keys, key.sessionId, before, after, ...pairs]);
      if (Number(done) === 1) return;
      await wait(Math.random() * Math.min(50, 2 * round));
    }
    throw new Error(`Too many writers are appending to session "${key.sessionId}"; try again`);
  }

  async #list(args: [string, ...string[]]): Promise<string[]> {
    return ((await this.#command(args)) as readonly unknown[]).map(String);
  }

  // The braces put all keys of a project on one node of a cluster, which scripts over several keys need.
  #key(projectKey: string, ...parts: string[]): string {
    return [this.#prefix, `{${encodeURIComponent(projectKey)}}`, ...parts.map(encodeURIComponent)].join(":");
  }

  #entriesKey = ({ projectKey, sessionId, subpath = "" }: SessionKey) =>
    this.#key(projectKey, "entries", sessionId, subpath);
  #uuidsKey = ({ projectKey, sessionId, subpath = "" }: SessionKey) =>
    this.#key(projectKey, "uuids", sessionId, subpath);
  #subkeysKey = ({ projectKey, sessionId }: SessionKey) => this.#key(projectKey, "subkeys", sessionId);
  #sessionsKey = (projectKey: string) => this.#key(projectKey, "sessions");
}

/** ARGV from `first` on: uuid (empty if none), entry, uuid, entry … */
const addFrom = (first: number) => `
for at = ${first}, #ARGV, 2 do
  if ARGV[at] == '' or redis.call('SADD', KEYS[2], ARGV[at]) == 1 then
    redis.call('RPUSH', KEYS[1], ARGV[at + 1])
  end
end
return 1`;

const APPEND_SUBPATH = `
redis.call('SADD', KEYS[3], ARGV[1])${addFrom(2)}`;

const APPEND_SESSION = `
if (redis.call('HGET', KEYS[3], ARGV[1]) or '') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[3], ARGV[1], ARGV[3])${addFrom(4)}`;

const DELETE_SUBPATH = `
redis.call('DEL', KEYS[1], KEYS[2])
return redis.call('SREM', KEYS[3], ARGV[1])`;

// The script looks up the subpaths itself, so it misses none that were added meanwhile. Their keys end in the encoded
// subpath.
const DELETE_SESSION = `
for _, subpath in ipairs(redis.call('SMEMBERS', KEYS[3])) do
  local name = string.gsub(subpath, "[^%w%-_%.!~%*'%(%)]", function (char) return string.format('%%%02X', string.byte(char)) end)
  redis.call('DEL', KEYS[1] .. name, KEYS[2] .. name)
end
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
return redis.call('HDEL', KEYS[4], ARGV[1])`;
