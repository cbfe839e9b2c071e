// Connects a running program to a session store: how to start it, what to do with the lines it prints, and what to do
// when it has ended. In `query()`:
//   const joined = await openStoreSession({ store, cwd, env, resume, … });
//   start the program with { ...env, ...joined.env }, --session-mirror, and --resume=joined.resume in place of the
//   options `resume` and `continue` (if it is undefined, pass those on as they are);
//   for each line: if (await joined.take(message)) continue;   // a transcript_mirror line, for the store only
//                  if (message.type === "result") await joined.flush();   // then pass the result on
//   onMirrorError may be called with messages for the application at any time;
//   after the program has ended, for whatever reason: await joined.close().

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { isObject } from "@keelson/protocol";
import type { Pause } from "./append.ts";
import { configDirOf } from "./key.ts";
import { materialize } from "./resume/materialize.ts";
import { openStoreMirror, type MirrorError, type TranscriptMirror } from "./mirror.ts";
import { rescue } from "./resume/rescue.ts";
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
  /** How to wait between two attempts. */
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
  /** Variables to add to the program's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The session from the store; undefined if the program should look for itself. */
  readonly resume: string | undefined;
  /** True if the line was for the store. Await it before the next line. */
  take(message: unknown): Promise<boolean>;
  flush(): Promise<void>;
  /** Sends the rest, and removes temporary files. Never rejects. */
  close(): Promise<void>;
}

const LOAD_TIMEOUT = 60_000;

/** Rejects if the store fails to load the session to resume. */
export async function openStoreSession(options: StoreSessionOptions): Promise<StoreSession> {
  const { store, cwd, env, flush, onMirrorError, loadTimeoutMs = LOAD_TIMEOUT } = options;
  const resume = options.resume ?? (options.continue === true ? ({ newest: true } as const) : undefined);
  const made = resume === undefined ? undefined : await materialize({ store, cwd, env, resume, loadTimeoutMs });
  const tell = (problem: MirrorError, advice: string) => onMirrorError(messageOf(problem, advice));
  const mirror = openStoreMirror({
    store,
    flush,
    wait: options.wait,
    onError: (problem) => tell(problem, "the entries are kept and will be retried"),
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
          tell(problem, `the entries are in "${path}"; send them with importSessionToStore()`);
        } catch (error) {
          // An extra folder is better than a lost conversation.
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
