// What editors get from this program: sessions to open, those on disk, and keys.

import { existsSync, statSync } from "node:fs";
import { NoSuchSession, type EditorHost, type KeptShowsFile, type WantedEditorSession } from "@keelson/acp";
import { realPathOf } from "@keelson/disk/real-path";
import type { Flags, Snapshot } from "@keelson/config";
import { OFFLINE_ID } from "@keelson/model";
import { VERSION, type ListedSession } from "@keelson/protocol";
import type { SessionLocation } from "@keelson/store";
import type { Debug } from "../../open.ts";
import { isOpenError, printWarning, type ProcessIO } from "../../process/process-io.ts";
import type * as KeptModule from "./kept.ts";
import type { KeptOptions } from "./kept.ts";
import { servedSnapshot } from "../served-sessions.ts";
import { SessionNotices, trustNotices } from "../session-notices.ts";

export interface EditorHostOptions {
  readonly io: ProcessIO;
  /** For every session. */
  readonly flags: Flags;
  readonly debug: Debug | undefined;
}

export function createEditorHost({ io, flags, debug }: EditorHostOptions): EditorHost {
  const snapshotOf = (cwd: string, addDirs: readonly string[] = []) =>
    servedSnapshot({ ...io, cwd }, { ...flags, ...(addDirs.length > 0 ? { addDirs } : {}) });
  const warn = (text: string) => printWarning(io, text);
  /** Those of a folder, which may be gone, or of all. */
  const storedIn = async (cwd: string) => {
    const { StoredSessions } = await import("@keelson/store/stored-sessions");
    return new StoredSessions({ ...placeOf(snapshotOf(existsSync(cwd) ? cwd : io.cwd)), cwd });
  };

  return {
    version: VERSION,
    offlineModel: OFFLINE_ID,
    newId: () => crypto.randomUUID(),
    warn,
    folderProblem(path) {
      const shown = JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path);
      try {
        return statSync(path).isDirectory() ? undefined : `${shown} is not a folder`;
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        return code === "ENOENT" ? `There is no folder ${shown}` : `${shown} cannot be opened (${code})`;
      }
    },
    async open(wanted) {
      const snapshot = snapshotOf(wanted.cwd, wanted.additionalDirectories);
      for (const warning of snapshot.warnings) warn(warning);
      const sessions = await io.sessions();
      const warnings = new SessionNotices(warn);
      try {
        const session = await sessions.open({
          front: "editor",
          snapshot,
          entrypoint: io.env["CLAUDE_CODE_ENTRYPOINT"] || "acp",
          session: choiceOf(wanted),
          join: { refused: () => [], ownAnswers: false },
          ...(debug ? { debug } : {}),
          warn: (text) => warnings.add(text),
        });
        const mayBeOffline = await wantsOffline(snapshot);
        const { announce } = session;
        const nameOf = namesUnder([wanted.cwd, ...wanted.additionalDirectories]);
        return {
          session,
          kept: keptLater({ place: placeOf(snapshot), sessionId: () => session.id, warn }),
          mayBeOffline,
          nameOf,
          notices: await trustNotices(snapshot),
          onWarning(listener) {
            for (const text of warnings.all) listener(text);
            warnings.listen(listener);
          },
          ...(announce === undefined ? {} : { announce }),
        };
      } catch (error) {
        if (await isMissing(error, wanted, snapshot)) throw new NoSuchSession((error as Error).message);
        throw error;
      }
    },
    async list(folder): Promise<readonly ListedSession[]> {
      const cwd = folder ?? io.cwd;
      const sessions = await io.sessions();
      return sessions.list(await storedIn(cwd), { cwd, allProjects: folder === undefined });
    },
    async remove(id) {
      await (await storedIn(io.cwd)).remove(id);
    },
    async hasModel() {
      const { resolveModel } = await import("@keelson/model");
      const options = await modelOptionsOf(snapshotOf(io.cwd));
      return (await resolveModel(options)).source !== "offline";
    },
    async logOut() {
      const { removeStoredKey } = await import("../auth/login.ts");
      await removeStoredKey("anthropic", snapshotOf(io.cwd));
    },
  };
}

const placeOf = ({ configDir, cwd, env }: Snapshot): SessionLocation => ({
  configDir,
  cwd,
  dirName: env["CLAUDE_CODE_PROJECT_DIR_NAME"],
});

const choiceOf = ({ resume }: WantedEditorSession) =>
  resume === undefined
    ? ({ kind: "new", persist: true } as const)
    : ({ kind: "resume", target: resume, persist: true } as const);

/** What only some sessions need: it is loaded when something is kept, or a session is loaded. */
function keptLater(options: KeptOptions): KeptShowsFile {
  let made: KeptShowsFile | undefined;
  const file = () => (made ??= (require("./kept.ts") as typeof KeptModule).keptShows(options));
  return { add: (show) => file().add(show), read: () => file().read() };
}

/** Paths without links, by the names of these folders. */
function namesUnder(folders: readonly string[]): (path: string) => string {
  const links = folders
    .map((folder) => ({ named: folder.replace(/\/+$/, ""), real: realPathOf(folder) }))
    .filter(({ named, real }) => named !== real);
  return (path) => {
    const folder = links.find(({ real }) => path.startsWith(`${real}/`));
    return folder ? folder.named + path.slice(folder.real.length) : path;
  };
}

/** Whether the session was not opened because there is none. */
async function isMissing(error: unknown, { resume }: WantedEditorSession, snapshot: Snapshot): Promise<boolean> {
  if (resume === undefined || !isOpenError(error) || error.kind !== "session") return false;
  const { findSession } = await import("@keelson/store/past");
  return findSession(placeOf(snapshot), resume).kind === "missing";
}

/** With the model that the user names, as a session has it. */
async function modelOptionsOf(snapshot: Snapshot) {
  const { modelOptions } = await import("@keelson/runtime/models");
  const { env, flags, settings } = snapshot;
  const chosen = flags.model ?? (env["ANTHROPIC_MODEL"] ? undefined : settings.model);
  return { ...(chosen === undefined ? {} : { model: chosen }), ...modelOptions(snapshot) };
}

/** Whether the user named the model that needs no key. */
async function wantsOffline(snapshot: Snapshot): Promise<boolean> {
  const { isOffline } = await import("@keelson/model");
  const { env, flags, settings } = snapshot;
  const name = flags.model ?? env["ANTHROPIC_MODEL"] ?? settings.model;
  return name !== undefined && isOffline(name, env);
}
