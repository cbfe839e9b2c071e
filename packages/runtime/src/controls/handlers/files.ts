// File requests of clients: read, suggest, mark as read, compare, rewind. Reads obey the permission rules and have a size limit.

import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { realPathOf } from "@keelson/disk/real-path";
import { MEMORY_SCOPES, type MemoryScope } from "../../instructions/add-memory.ts";
import type { SuggestingCommand } from "../../mentions/suggesting-command.ts";
import { done, failed, textIn, type ControlHandler } from "../reply.ts";
import type { ControlTargets } from "../targets.ts";

/** The reply is one line, and some clients accept no line above a megabyte. */
const DEFAULT_BYTES = 512 * 1024;
const MOST_BYTES = 10 * 1024 * 1024;

export const readFile: ControlHandler<"read_file"> = async (request, targets) => {
  const requested = textIn(request, "path");
  const { max_bytes: wanted, encoding = "utf-8" } = request;
  const isText = encoding === "utf-8" || encoding === "utf8";
  if (!isText && encoding !== "base64") return failed('read_file: "encoding" must be "utf-8" or "base64"');
  const limit = typeof wanted === "number" && wanted > 0 ? Math.min(Math.floor(wanted), MOST_BYTES) : DEFAULT_BYTES;
  const absPath = pathOf(requested, targets);
  const found = await readHead(absPath, limit, targets);
  if ("problem" in found)
    return { ...failed(`read_file: ${found.problem}`), ...(found.missing ? { missing: true } : {}) };
  const { bytes, size } = found;
  const contents = isText ? new TextDecoder().decode(bytes) : bytes.toString("base64");
  return done({
    contents,
    absPath,
    ...(isText ? { lossy: !Buffer.from(contents).equals(bytes) } : { encoding }),
    requested_path: requested,
    ...(size > bytes.length ? { truncated: true, size } : {}),
  });
};

/** Marks a file that the client showed to the model: Edit then needs no Read first, unless the file changed. */
export const seedReadState: ControlHandler<"seed_read_state"> = async (request, targets) => {
  const path = pathOf(textIn(request, "path"), targets);
  const { mtime } = request;
  if (typeof mtime !== "number") return failed('seed_read_state: "mtime" must be a number of milliseconds');
  const found = await readHead(path, MOST_BYTES, targets);
  if ("problem" in found || found.size > found.bytes.length) return done();
  // It changed since, so the model has to read it first.
  if (Math.floor(found.mtimeMs) > mtime) return done();
  const { bytes, mtimeMs, size } = found;
  const hash = Bun.hash(bytes).toString(36);
  // An empty range: a Read in this conversation must still return the text.
  const range = { offset: 0, limit: 0 };
  targets.seen.set(realPathOf(path), { mtimeMs, size, hash, by: "read", range });
  return done();
};

export const rewindFiles: ControlHandler<"rewind_files"> = async (request, targets, { signal }) => {
  const prompt = textIn(request, "user_message_id");
  if (targets.rewind === undefined) return failed("File rewinding is not enabled.");
  const dryRun = request.dry_run === true;
  const result = await targets.rewind(prompt, { dryRun, signal });
  const { canRewind, error, filesChanged, insertions, deletions, skippedLinks, ...more } = result;
  if (!canRewind) return failed(error ?? "The files cannot be rewound");
  // Only a preview reports what would change.
  return done(
    dryRun ? { canRewind, filesChanged, insertions, deletions, ...more } : { canRewind, skippedLinks, ...more },
  );
};

export const getWorkingDiff: ControlHandler<"get_working_diff"> = async ({ since = "commit" }, targets, { signal }) => {
  if (since !== "commit" && since !== "start") return failed('get_working_diff: "since" must be "commit" or "start"');
  const { snapshot, permissions } = targets;
  await permissions.warm();
  const { cwd, home, directories, env, configDir } = snapshot();
  const places = { cwd, home, directories, env, signal, mayRead: (path: string) => permissions.mayRead(path) };
  const { changesSinceCommit, sessionChanges } = await import("../../changes/session-changes.ts");
  if (since === "commit") return done(await changesSinceCommit(places));
  const { beganMs } = await import("@keelson/store/history");
  const { startedMs } = targets;
  const path = targets.transcript();
  const sinceMs = Math.min((path === undefined ? undefined : beganMs(path)) ?? startedMs, startedMs);
  return done(await sessionChanges({ ...places, configDir, sinceMs, originals: targets.originals() }));
};

/** Keelson only: a note of the user for an instruction file. */
export const addMemoryControl: ControlHandler<"add_memory"> = async (request, targets) => {
  const text = textIn(request, "text");
  const { scope = "project" } = request;
  if (!MEMORY_SCOPES.includes(scope as MemoryScope)) {
    return failed(`add_memory: "scope" must be one of ${MEMORY_SCOPES.join(", ")}`);
  }
  return done({ path: await targets.addMemory(text, scope as MemoryScope) });
};

export const registerRepoRoot: ControlHandler<"register_repo_root"> = (request, { workspace, addDirectories }) => {
  const directory = textIn(request, "directory");
  const path = realPathOf(resolve(workspace.root, directory));
  const inside = workspace.directories.some((root) => holds(root, path));
  if (!inside) {
    return failed(
      `register_repo_root: ${directory} is not a subdirectory of the session's working directory or of an added one`,
    );
  }
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    return failed(`register_repo_root: ${directory} is not a directory`);
  }
  addDirectories([path], "register_repo_root");
  return done();
};

const MOST_SUGGESTED = 15;

export const fileSuggestions: ControlHandler<"file_suggestions"> = async (request, targets, { signal }) => {
  const query = textIn(request, "query").slice(0, 200);
  const { workspace, permissions, sessionId } = targets;
  const { root } = workspace;
  await permissions.warm();
  const isShown = (path: string) => permissions.mayRead(resolve(root, path));
  const own = await suggestedByUser({ snapshot: targets.snapshot(), sessionId, query, signal });
  const found =
    own?.filter(isShown).slice(0, MOST_SUGGESTED) ??
    (await (await targets.fileIndex()).find(root, query, MOST_SUGGESTED, isShown));
  const suggestions = found.map((path) => ({
    path,
    displayText: path,
    type: path.endsWith("/") ? ("directory" as const) : ("file" as const),
  }));
  return done({ suggestions, cwd: root });
};

async function suggestedByUser(asked: SuggestingCommand): Promise<readonly string[] | undefined> {
  if (asked.snapshot.settings.fileSuggestion === undefined) return undefined;
  const { suggestedPaths } = await import("../../mentions/suggesting-command.ts");
  return suggestedPaths(asked);
}

function pathOf(path: string, { workspace, snapshot }: ControlTargets): string {
  const here = path === "~" || path.startsWith("~/") ? join(snapshot().home, path.slice(1)) : path;
  return resolve(workspace.cwd, here);
}

function holds(root: string, path: string): boolean {
  const steps = relative(root, path);
  return steps !== ".." && !steps.startsWith(`..${sep}`) && !isAbsolute(steps);
}

type Head =
  | { readonly bytes: Buffer; readonly size: number; readonly mtimeMs: number }
  | { readonly problem: string; readonly missing?: true };

/** Checks and opens the resolved path; a link put there in between is not followed. */
async function readHead(path: string, limit: number, { permissions }: ControlTargets): Promise<Head> {
  await permissions.warm();
  const place = realPathOf(path);
  if (!permissions.mayRead(path) || !permissions.mayRead(place))
    return { problem: `a permission rule denies reading ${path}` };
  if (/^\/(?:proc|sys|dev)(?:\/|$)/.test(place)) return { problem: `${path} is not a regular file` };
  let fd: number;
  try {
    fd = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return code === "ENOENT"
      ? { problem: `${path} does not exist`, missing: true }
      : { problem: `${path} cannot be read (${code})` };
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return { problem: `${path} is not a regular file` };
    const bytes = Buffer.allocUnsafe(Math.min(stat.size, limit));
    const got = readSync(fd, bytes, 0, bytes.length, 0);
    return { bytes: bytes.subarray(0, got), size: stat.size, mtimeMs: stat.mtimeMs };
  } finally {
    closeSync(fd);
  }
}
