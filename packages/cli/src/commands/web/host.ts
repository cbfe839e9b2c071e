// What the page gets from this program: sessions, the list of them, and a file for its devices.

import { statSync } from "node:fs";
import { isCommandAt } from "@keelson/host/tcp-peer";
import type { Flags } from "@keelson/config";
import { VERSION } from "@keelson/protocol";
import { StoredSessions } from "@keelson/store/stored-sessions";
import { SessionNotOpened, type OpenedForWeb, type WebHost } from "@keelson/web";
import type { Debug, SessionsHere, SharedSession } from "../../open.ts";
import { isOpenError, printWarning, type ProcessIO } from "../../process/process-io.ts";
import { servedSnapshot } from "../served-sessions.ts";
import { SessionNotices, trustNotices } from "../session-notices.ts";
import { deviceFile } from "./device-file.ts";
import { ListedSessions } from "./listed-sessions.ts";

export interface WebHostOptions {
  readonly io: ProcessIO;
  /** For every session. */
  readonly flags: Flags;
  readonly debug: Debug | undefined;
  readonly sessions: SessionsHere;
  /** For people. Absent: a line on standard error. */
  readonly warn?: (text: string) => void;
}

export interface ProgramWebHost extends WebHost {
  /**
   * Whether a program was started. Never with a code: while it runs, every command and every user of the machine can read the
   * arguments of a program.
   */
  showInBrowser(address: string): Promise<boolean>;
  close(): void;
}

export function createWebHost({ io, flags, debug, sessions, ...options }: WebHostOptions): ProgramWebHost {
  const snapshotOf = (cwd: string, more: Flags = {}) => servedSnapshot({ ...io, cwd }, { ...flags, ...more });
  const warn = options.warn ?? ((text: string) => printWarning(io, text));
  const own = snapshotOf(io.cwd);
  const { configDir } = own;
  const noticesOf = new WeakMap<SharedSession, SessionNotices>();
  const held = (here: SharedSession) => heldSession(here, noticesOf.get(here));
  const listed = new ListedSessions(sessions, configDir);
  const stored = new StoredSessions({ configDir, cwd: own.cwd });

  return {
    version: VERSION,
    cwd: own.cwd,
    devices: deviceFile(configDir, warn),
    list: () => listed.all(),
    find: (id) => listed.find(id),
    watchList: (listener) => listed.watch(listener),
    search: (words, ids, signal) => listed.search(words, ids, signal),
    async join(id) {
      const here = sessions.find(id);
      if (here) return held(here);
      const found = await listed.stored(id);
      const session = found?.hasOwner ? await sessions.joinElsewhere(found, configDir) : undefined;
      if (session === undefined) return undefined;
      const release = () => void session.close("terminate").catch(() => undefined);
      return { session: { id, attach: (options) => session.attach(options) }, cwd: found?.cwd ?? own.cwd, release };
    },
    async open({ cwd: wanted, resume, fork, worktree, mode, model }) {
      const here = resume === undefined || fork ? undefined : sessions.find(resume);
      if (here) return held(here);
      const earlier = resume === undefined ? undefined : await listed.stored(resume);
      if (resume !== undefined && earlier === undefined) throw new SessionNotOpened("There is no such session", true);
      const cwd = folderOf(earlier?.cwd ?? wanted);
      const chosen = { ...(mode === undefined ? {} : { permissionMode: mode }), ...(model ? { model } : {}) };
      const snapshot = snapshotOf(cwd, chosen);
      const notices = new SessionNotices(warn);
      for (const text of [...snapshot.warnings, ...(await trustNotices(snapshot))]) notices.add(text);
      try {
        const session = await sessions.open({
          front: "page",
          snapshot,
          // Whoever is asked may have put the phone away.
          onNoAnswerer: "wait",
          closeIdleAfterMs: CLOSE_IDLE_MS,
          entrypoint: io.env["CLAUDE_CODE_ENTRYPOINT"] || "web",
          session:
            resume === undefined
              ? // Others find it by its id before its first prompt.
                { kind: "new", persist: true, sessionId: crypto.randomUUID() }
              : { kind: "resume", target: resume, persist: true, ...(fork ? { fork: true } : {}) },
          join: { refused: () => [], ownAnswers: false },
          ...(worktree ? { worktree: {} } : {}),
          ...(debug ? { debug } : {}),
          warn: (text) => notices.add(text),
        });
        // One that is open here stays open; of another program's, only our client goes.
        const isHere = sessions.find(session.id);
        if (isHere && !noticesOf.has(isHere)) noticesOf.set(isHere, notices);
        return {
          session,
          notices: (isHere && noticesOf.get(isHere)) ?? notices,
          cwd: snapshot.cwd,
          release: () => void (isHere ? undefined : session.close("terminate").catch(() => undefined)),
        };
      } catch (error) {
        if (isOpenError(error)) throw new SessionNotOpened(error.message, false);
        throw error;
      }
    },
    isFolder,
    async rename(id, title) {
      const here = sessions.find(id);
      if (here) await here.request("rename_session", { title });
      const isThere = here !== undefined || (await stored.rename(id, title));
      listed.readAgain();
      return isThere;
    },
    archive: (id, isArchived) => listed.archive(id, isArchived),
    async exported(id, format) {
      const found = await listed.stored(id);
      if (found === undefined) return undefined;
      const { openExport } = await import("@keelson/runtime/export");
      const pieces = openExport(found, { format, full: false }).pieces();
      const encoder = new TextEncoder();
      return new ReadableStream({
        pull(controller) {
          const { value, done } = pieces.next();
          if (done) controller.close();
          else controller.enqueue(encoder.encode(value));
        },
        cancel: () => void pieces.return(undefined),
      });
    },
    async changes(id, since, signal) {
      const found = await listed.stored(id);
      if (found === undefined) return undefined;
      const cwd = folderOf(found.cwd ?? own.cwd);
      const { storedChanges } = await import("@keelson/runtime/stored-changes");
      return storedChanges({ id, path: found.path, since, snapshot: snapshotOf(cwd), signal });
    },
    messages: (id, query) => sessions.messages(stored, id, query),
    async remove(id) {
      await stored.remove(id);
      listed.readAgain();
    },
    isCommandAt,
    now: () => Date.now(),
    warn,
    async showInBrowser(address) {
      const { openBrowser } = await import("@keelson/host/secrets");
      return openBrowser(new URL(address), { env: own.childEnv, platform: own.origin.platform });
    },
    close() {
      listed.close();
    },
  };
}

/** A session that no page shows and that has nothing to do ends. */
const CLOSE_IDLE_MS = 10 * 60_000;

/** One that is open in this process. */
function heldSession(here: SharedSession, notices: SessionNotices | undefined): OpenedForWeb {
  const { id, cwd } = here;
  const session: OpenedForWeb["session"] = { id, attach: (options) => here.attach(options) };
  return { session, cwd, release: () => undefined, ...(notices ? { notices } : {}) };
}

function folderOf(cwd: string): string {
  if (isFolder(cwd)) return cwd;
  throw new SessionNotOpened(`The folder "${cwd}" of this session does not exist any more`, false);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
