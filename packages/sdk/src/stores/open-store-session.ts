// Joins a running program to a session store: what it must be started with, what to do with the lines it prints, and
// what to do when it has ended. For `query()`:
//   const joined = await openStoreSession({ store, cwd, env, resume, … });
//   start the program with { ...env, ...joined.env }, --session-mirror, and --resume=joined.resume in place of the
//   options `resume` and `continue` (when it is undefined, pass those on as they are);
//   for each line: if (await joined.take(message)) continue;   // swallowed: a transcript_mirror line
//                  if (message.type === "result") await joined.flush();   // then hand the result out
//   messages for the application come through onMirrorError at any moment;
//   after the program has ended, whatever the reason: await joined.close().

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { isObject } from "@keelson/protocol";
import type { Pause } from "./append.ts";
import { configDirOf } from "./key.ts";
import { materialize } from "./materialize.ts";
import { openStoreMirror, type MirrorError, type TranscriptMirror } from "./mirror.ts";
import { rescue } from "./rescue.ts";
import type { SessionKey, SessionStore, SessionStoreFlush } from "./session-store.ts";

export interface StoreSessionOptions {
  readonly store: SessionStore;
  readonly cwd: string;
  /** The program's environment without our additions. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly resume?: string | undefined;
  readonly continue?: boolean | undefined;
  readonly flush?: SessionStoreFlush | undefined;
  readonly loadTimeoutMs?: number | undefined;
  readonly onMirrorError: (message: MirrorErrorMessage) => void;
  /** How to pass the time between two tries. */
  readonly wait?: Pause | undefined;
}

export interface MirrorErrorMessage {
  readonly type: "system";
  readonly subtype: "mirror_error";
  readonly error: string;
  readonly key: SessionKey;
  readonly uuid: string;
  readonly session_id: string;
}

export interface StoreSession {
  /** To be laid over the program's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The session the store had; undefined when the program shall look for itself. */
  readonly resume: string | undefined;
  /** True when the line was one for the store. Wait for the answer before the next line. */
  take(message: unknown): Promise<boolean>;
  flush(): Promise<void>;
  /** Sends the rest, and removes what was made for the program. Never rejects. */
  close(): Promise<void>;
}

const LOAD_TIMEOUT = 60_000;

/** Rejects when the store cannot be asked for the session to resume. */
export async function openStoreSession(options: StoreSessionOptions): Promise<StoreSession> {
  const { store, cwd, env, flush, onMirrorError, loadTimeoutMs = LOAD_TIMEOUT } = options;
  const resume = options.resume ?? (options.continue === true ? ({ newest: true } as const) : undefined);
  const made = resume === undefined ? undefined : await materialize({ store, cwd, env, resume, loadTimeoutMs });
  const tell = (problem: MirrorError, advice: string) => onMirrorError(messageOf(problem, advice));
  const mirror = openStoreMirror({
    store,
    flush,
    wait: options.wait,
    onError: (problem) => tell(problem, "the entries are kept and tried again"),
  });
  return {
    env: made === undefined ? {} : { CLAUDE_CONFIG_DIR: made.configDir },
    resume: made?.sessionId,
    async take(message) {
      if (!isObject(message) || message["type"] !== "transcript_mirror") return false;
      if (isTranscriptMirror(message)) await mirror.push(message);
      return true;
    },
    flush: () => mirror.flush(),
    async close() {
      const behind = await mirror.close();
      let isSaved = true;
      for (const problem of behind) {
        try {
          const isTemporary = made !== undefined && problem.filePath.startsWith(join(made.configDir, "projects"));
          const path = isTemporary
            ? rescue(problem.filePath, { from: made.configDir, to: configDirOf(env) })
            : problem.filePath;
          tell(problem, `the entries are in "${path}"; importSessionToStore() sends them`);
        } catch (error) {
          // Better a folder too many than a conversation lost.
          isSaved = false;
          tell(problem, `the entries are in "${problem.filePath}" and could not be moved (${String(error)})`);
        }
      }
      if (isSaved) await made?.remove().catch(() => {});
    },
  };
}

function isTranscriptMirror(message: object): message is TranscriptMirror {
  const { filePath, entries } = message as Partial<TranscriptMirror>;
  return typeof filePath === "string" && Array.isArray(entries) && entries.every(isObject);
}

function messageOf({ key, error }: MirrorError, advice: string): MirrorErrorMessage {
  return {
    type: "system",
    subtype: "mirror_error",
    error: `${error}; ${advice}`,
    key,
    uuid: randomUUID(),
    session_id: key.sessionId,
  };
}
