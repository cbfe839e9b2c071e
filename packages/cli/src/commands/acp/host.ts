// What editors get from this program: sessions to open, those on disk, and keys.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { NoSuchSession, type EditorHost, type WantedEditorSession } from "@keelson/acp";
import { load, trustFix, type Flags, type Snapshot } from "@keelson/config";
import { OFFLINE_ID } from "@keelson/model";
import { VERSION, type ListedSession } from "@keelson/protocol";
import type { SessionLocation } from "@keelson/store";
import type { Debug } from "../../open.ts";
import { isOpenError, loadOptions, printWarning, type ProcessIO } from "../../process/process-io.ts";

export interface EditorHostOptions {
  readonly io: ProcessIO;
  /** For every session. */
  readonly flags: Flags;
  readonly debug: Debug | undefined;
}

export function createEditorHost({ io, flags, debug }: EditorHostOptions): EditorHost {
  /** A folder that is not trusted may only deny and ask: no one can be asked about it before the session opens. */
  const snapshotOf = (cwd: string, addDirs: readonly string[] = []): Snapshot =>
    load({
      ...loadOptions({ ...io, cwd }, { ...flags, requireTrust: true, ...(addDirs.length > 0 ? { addDirs } : {}) }),
      trustFromAbove: true,
      quick: true,
    });
  const warn = (text: string) => printWarning(io, text);
  const storedIn = async (cwd: string) => {
    const { StoredSessions } = await import("@keelson/store/stored-sessions");
    return new StoredSessions(placeOf(snapshotOf(cwd)));
  };

  return {
    version: VERSION,
    offlineModel: OFFLINE_ID,
    newId: () => crypto.randomUUID(),
    warn,
    async open(wanted) {
      const snapshot = snapshotOf(wanted.cwd, wanted.additionalDirectories);
      for (const warning of snapshot.warnings) warn(warning);
      const sessions = await io.sessions();
      try {
        const session = await sessions.open({
          front: "editor",
          snapshot,
          entrypoint: io.env["CLAUDE_CODE_ENTRYPOINT"] || "acp",
          session: choiceOf(wanted),
          join: { refused: () => [], ownAnswers: false },
          ...(debug ? { debug } : {}),
          warn,
        });
        const mayBeOffline = await wantsOffline(snapshot);
        const { announce } = session;
        return { session, mayBeOffline, notices: untrusted(snapshot), ...(announce === undefined ? {} : { announce }) };
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

/** What a folder may set. */
const OF_FOLDERS = [".claude", ".mcp.json", "CLAUDE.md", "CLAUDE.local.md"];

function untrusted({ cwd, trusted }: Snapshot): readonly string[] {
  if (trusted || !OF_FOLDERS.some((name) => existsSync(join(cwd, name)))) return [];
  const off = "its hooks, MCP servers, skills, instructions and settings are off, except for rules that deny or ask";
  return [`This folder is not trusted, so ${off}. To trust it, ${trustFix(cwd)}`];
}
