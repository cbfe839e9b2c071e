// File history: copies of files from before our tools changed them, to undo the changes of a prompt. Changes by shell
// commands are not tracked.

import { mkdirSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { realPathOf } from "@keelson/disk/real-path";
import type { FileBackup as Backup, FileHistoryEntry } from "@keelson/protocol";
import { openBackups, type Backups } from "./backups.ts";
import { lineChanges } from "./line-changes.ts";
import { fileState, hasNoLinks, put, remove, type FileState } from "./file-state.ts";
import type { PastFileHistory } from "./past.ts";
import { timelineOf, type Timeline } from "./timeline.ts";

export interface CheckpointOptions {
  readonly configDir: string;
  readonly sessionId: string;
  /** With links resolved. File names in entries are relative to it. */
  readonly cwd: string;
  /** The file history of the transcript. */
  readonly past?: PastFileHistory;
  append(entry: FileHistoryEntry): void;
  now(): number;
  /** Called once if a copy cannot be kept. */
  warn?(text: string): void;
  /** Whether a command of this session was running at this time. */
  wasOwnCommand?(mtimeMs: number): boolean;
  /** Called before these files are restored; the returned function after it. */
  beginWrite?(paths: readonly string[]): () => void;
}

/** A file that a rewind would write or delete. */
export interface FileRestore {
  readonly path: string;
  /** Absent: delete the file. */
  readonly bytes?: Uint8Array;
}

export interface RewindOptions {
  /** Changes nothing and asks no one. */
  readonly dryRun: boolean;
  /** Whether a file may be restored: restoring is editing. Resolves to why not. */
  refusal(restore: FileRestore): Promise<string | undefined>;
}

export interface Checkpoints {
  /** Called before a prompt runs: rewinding to it restores the tracked files as they are now. */
  prompt(uuid: string): void;
  /** Called before a tool changes a file. `path` has links resolved. `unsaved`: what an editor had of it. Never throws. */
  before(path: string, assistantUuid: string, unsaved?: Uint8Array): void;
  /** Called after the change. */
  wrote(path: string, bytes: Uint8Array): void;
  rewind(uuid: string, options: RewindOptions): Promise<RewindResult>;
  /** The files that tools changed, as they were before that. */
  originals(): readonly OriginalFile[];
}

export interface OriginalFile {
  readonly path: string;
  /** What it was. `none`: there was no such file. `unknown`: no copy of it is left. */
  readonly was: Buffer | "none" | "unknown";
}

export interface RewindResult {
  readonly canRewind: boolean;
  readonly error?: string;
  readonly filesChanged: readonly string[];
  readonly insertions: number;
  readonly deletions: number;
  /** Files that were skipped because their path now has a link. */
  readonly skippedLinks: number;
  /** Files that were changed outside the session since our tools wrote them. After a rewind, `copy` holds that version. */
  readonly externallyChanged?: readonly { readonly path: string; readonly copy?: string }[];
  /** Files that tools changed without a copy being kept. They cannot be restored. */
  readonly notKept?: readonly string[];
  /** Files that may not be restored. The others are. */
  readonly refused?: readonly { readonly path: string; readonly reason: string }[];
}

export const NO_CHECKPOINT = "No file checkpoint found for this message.";
const UNPROVEN = "Files cannot be restored: Keelson cannot verify the checkpoint of this prompt";
const ALTERED = "Its copy is not the one that was made";

const MOST_PROMPTS = 100;
const MOST_FILES = 2_000;
const MOST_BYTES = 1024 * 1024 * 1024;

export function openCheckpoints(options: CheckpointOptions): Checkpoints {
  const { cwd, now } = options;
  const dir = folderOf(options);
  const backups = openBackups(dir);
  const timeline = timelineOf(options.past?.entries ?? []);
  while (timeline.length > MOST_PROMPTS && timeline.forgetOldest());
  /** The stamp of a file when its latest copy was made. */
  const stamps = new Map<string, string>();
  const notKept = new Set<string>();
  let warned = false;

  const add = (entry: FileHistoryEntry) => {
    timeline.add(entry);
    options.append(entry);
  };
  const time = () => new Date(now()).toISOString();

  /** The copy of the current state of a file; the latest one if nothing changed. */
  const capture = (name: string): Backup => {
    const path = absolute(name, cwd);
    const last = timeline.newest(name);
    const found = fileState(path, last?.backupFileName ? stamps.get(name) : undefined);
    if (found === "unchanged" || (last && found.kind !== "file" && found.kind !== "absent")) return last!;
    const place = { backupTime: time(), realParentDir: dirname(path) };
    if (found.kind !== "file") return { backupFileName: null, version: last?.version ?? 1, ...place };
    const { name: copy, version } = backups.keep(path, found.bytes, found.mode);
    stamps.set(name, found.stamp);
    const { mode } = found;
    return copy === last?.backupFileName
      ? last
      : { backupFileName: copy, version, ...place, hash: digestOf(found.bytes), mode };
  };

  /** What an editor would have saved. It is not what is on disk, so the next copy looks there again. */
  const captureUnsaved = (path: string, bytes: Uint8Array, found: FileState): Backup => {
    const mode = found.kind === "file" ? found.mode : 0o644;
    const { name: backupFileName, version } = backups.keep(path, bytes, mode);
    return { backupFileName, version, backupTime: time(), realParentDir: dirname(path), hash: digestOf(bytes), mode };
  };

  /** Without a copy, the edit still happens; a rewind reports the file. */
  const guarded = (name: string, act: () => void) => {
    try {
      act();
    } catch (error) {
      notKept.add(absolute(name, cwd));
      if (!warned)
        options.warn?.(
          `Could not keep a copy of a file for rewinding (${error instanceof Error ? error.message : String(error)})`,
        );
      warned = true;
    }
  };

  const note = (name: string, bytes: Uint8Array | undefined) => {
    const hash = bytes === undefined ? GONE : hashOf(bytes);
    if (timeline.newest(name) === undefined || timeline.writtenTo(name) === hash) return;
    add({ type: "keelson-file-written", trackingPath: name, hash, sessionId: options.sessionId });
  };

  return {
    prompt(uuid) {
      const state: Record<string, Backup> = {};
      for (const name of timeline.paths) {
        guarded(name, () => void (state[name] = capture(name)));
        const last = timeline.newest(name);
        if (!(name in state) && last) state[name] = last;
      }
      const snapshot = { messageId: uuid, trackedFileBackups: state, timestamp: time() };
      add({ type: "file-history-snapshot", messageId: uuid, snapshot, isSnapshotUpdate: false });
      if (timeline.paths.length > 0) trim(timeline, backups);
    },
    before(path, assistantUuid, unsaved) {
      const name = trackingName(path, cwd);
      const prompt = timeline.current;
      if (prompt === undefined || timeline.holds(name)) return;
      guarded(name, () => {
        if (timeline.paths.length >= MOST_FILES) throw new Error(`more than ${MOST_FILES} files are tracked`);
        const found = fileState(path);
        if (found === "unchanged" || (found.kind !== "file" && found.kind !== "absent")) {
          throw new Error(`"${path}" is not a regular file of up to 50 MB`);
        }
        const backup = unsaved === undefined ? capture(name) : captureUnsaved(path, unsaved, found);
        add({
          type: "file-history-delta",
          messageId: assistantUuid,
          snapshotMessageId: prompt,
          trackingPath: name,
          backup,
          timestamp: backup.backupTime,
        });
      });
    },
    originals: () => originalsOf(timeline, { cwd, backups }),
    wrote: (path, bytes) => note(trackingName(path, cwd), bytes),
    async rewind(uuid, { dryRun, refusal: why }) {
      const state = timeline.stateAt(uuid);
      if (state === undefined) return refusal(options.past?.unproven.has(uuid) ? UNPROVEN : NO_CHECKPOINT);
      const wasOurs = (name: string, found: FileState) =>
        isOurs(timeline.writtenTo(name), found, options.wasOwnCommand);
      const facts = { cwd, backups, wasOurs };
      const wanted = planOf(state, facts);
      if ("error" in wanted) return refusal(wanted.error);
      const reasons = new Map<string, string>();
      for (const { name, path, bytes, isAltered } of wanted.changes) {
        const reason = isAltered ? ALTERED : await why({ path, ...(bytes ? { bytes } : {}) });
        if (reason !== undefined) reasons.set(name, reason);
      }
      const refused = [...reasons].map(([name, reason]) => ({ path: absolute(name, cwd), reason }));
      if (!dryRun && refused.length > 0 && refused.length === wanted.changes.length) {
        return { ...refusal(`Nothing was restored. ${refused.map(reasonText).join("; ")}`), refused };
      }
      const allowed = new Set(wanted.changes.flatMap(({ name }) => (reasons.has(name) ? [] : name)));
      // Files may have changed while someone was asked.
      const plan = dryRun ? wanted : planOf(new Map([...state].filter(([name]) => allowed.has(name))), facts);
      if ("error" in plan) return refusal(plan.error);
      const changes = plan.changes.filter(({ name, isAltered }) => allowed.has(name) && !isAltered);
      const changed = changes.filter(({ external }) => external);
      const external = changed.map(({ path, now: found }) => ({
        path,
        ...(dryRun || found.kind !== "file"
          ? {}
          : { copy: join(dir, backups.keep(path, found.bytes, found.mode).name) }),
      }));
      const finished = dryRun ? undefined : options.beginWrite?.(changes.map(({ path }) => path));
      const failure = dryRun ? undefined : perform(changes);
      finished?.();
      if (!dryRun) {
        // The current content is ours, not a change from outside.
        for (const { name, bytes } of changes) note(name, bytes);
      }
      return {
        ...totalsOf(changes),
        skippedLinks: wanted.skippedLinks,
        ...(failure === undefined ? {} : { canRewind: false, error: failure }),
        ...(external.length === 0 ? {} : { externallyChanged: external }),
        ...(notKept.size === 0 ? {} : { notKept: [...notKept] }),
        ...(refused.length === 0 ? {} : { refused }),
      };
    },
  };
}

const reasonText = ({ path, reason }: { path: string; reason: string }) => `"${path}": ${reason}`;

/** Those of a session that is not open here. `past`: what its transcript says. */
export function storedOriginals(
  past: PastFileHistory,
  { configDir, sessionId, cwd }: Pick<CheckpointOptions, "configDir" | "sessionId" | "cwd">,
): readonly OriginalFile[] {
  return originalsOf(timelineOf(past.entries), { cwd, backups: openBackups(folderOf({ configDir, sessionId })) });
}

function originalsOf(
  timeline: Timeline,
  { cwd, backups }: { readonly cwd: string; readonly backups: Backups },
): readonly OriginalFile[] {
  return [...timeline.first].flatMap(([name, { backupFileName, hash }]): readonly OriginalFile[] => {
    const path = absolute(name, cwd);
    // Not a name that we write.
    if (trackingName(path, cwd) !== name) return [];
    if (backupFileName === null) return [{ path, was: "none" }];
    const bytes = backups.read(backupFileName);
    return [{ path, was: bytes !== undefined && digestOf(bytes) === hash ? bytes : "unknown" }];
  });
}

const folderOf = ({ configDir, sessionId }: Pick<CheckpointOptions, "configDir" | "sessionId">) =>
  join(realPathOf(configDir), "file-history", sessionId);

/** Drops the oldest prompts and their copies to stay within the limits; what files were at first is kept as long as possible. */
function trim(timeline: Timeline, backups: Backups): void {
  let forgot = false;
  while (timeline.length > MOST_PROMPTS && timeline.forgetOldest()) forgot = true;
  const originals = [...timeline.first.values()].flatMap(({ backupFileName }) => backupFileName ?? []);
  if (forgot) backups.retain(new Set([...timeline.needed(), ...originals]));
  while (backups.bytes > MOST_BYTES && timeline.forgetOldest()) backups.retain(timeline.needed());
}

interface Change {
  readonly name: string;
  readonly path: string;
  /** Absent: delete the file. */
  readonly bytes?: Buffer;
  readonly mode: number;
  readonly now: FileState;
  readonly external: boolean;
  /** The copy is not the one that was recorded. */
  readonly isAltered: boolean;
}

type Plan = { readonly error: string } | { readonly changes: readonly Change[]; readonly skippedLinks: number };

function planOf(
  state: ReadonlyMap<string, Backup>,
  facts: { readonly cwd: string; readonly backups: Backups; wasOurs(name: string, found: FileState): boolean },
): Plan {
  const changes: Change[] = [];
  let skippedLinks = 0;
  for (const [name, { backupFileName, realParentDir, hash, mode = 0o644 }] of state) {
    const path = absolute(name, facts.cwd);
    // Not a name that we write.
    if (trackingName(path, facts.cwd) !== name) continue;
    const found = fileState(path);
    if (found === "unchanged" || found.kind === "other") continue;
    const folder = dirname(path);
    const moved = realParentDir !== undefined && realParentDir !== folder;
    if (found.kind === "link" || moved || !hasNoLinks(folder)) {
      skippedLinks++;
      continue;
    }
    const bytes = backupFileName === null ? undefined : facts.backups.read(backupFileName);
    if (backupFileName !== null && bytes === undefined) {
      return {
        error: `The copy of "${path}" for this message is gone (${backupFileName}); nothing was changed`,
      };
    }
    const before = found.kind === "file" ? found.bytes : undefined;
    if (before === undefined ? bytes === undefined : bytes !== undefined && before.equals(bytes)) continue;
    changes.push({
      name,
      path,
      mode: found.kind === "file" ? found.mode : mode & 0o777,
      now: found,
      external: !facts.wasOurs(name, found),
      isAltered: bytes !== undefined && digestOf(bytes) !== hash,
      ...(bytes ? { bytes } : {}),
    });
  }
  return { changes, skippedLinks };
}

function totalsOf(changes: readonly Change[]) {
  let [insertions, deletions] = [0, 0];
  for (const { now: found, bytes } of changes) {
    const counted = lineChanges(found.kind === "file" ? found.bytes : NOTHING, bytes ?? NOTHING);
    insertions += counted.insertions;
    deletions += counted.deletions;
  }
  return { canRewind: true, filesChanged: changes.map(({ path }) => path), insertions, deletions };
}

function perform(changes: readonly Change[]): string | undefined {
  for (const [done, { path, bytes, mode }] of changes.entries()) {
    try {
      if (bytes === undefined) remove(path);
      else {
        mkdirSync(dirname(path), { recursive: true });
        put(path, bytes, mode);
      }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return `"${path}" could not be restored (${why}); ${done} of ${changes.length} files were restored`;
    }
  }
  return undefined;
}

/** If it is unknown what we wrote, assume the file is ours. */
function isOurs(written: string | undefined, found: FileState, wasOwnCommand?: (mtimeMs: number) => boolean): boolean {
  if (written === undefined) return true;
  if (found.kind !== "file") return found.kind !== "absent" || written === GONE;
  return hashOf(found.bytes) === written || wasOwnCommand?.(found.mtimeMs) === true;
}

const refusal = (error: string): RewindResult => ({
  canRewind: false,
  error,
  filesChanged: [],
  insertions: 0,
  deletions: 0,
  skippedLinks: 0,
});

const NOTHING = new Uint8Array(0);
/** Instead of a hash: we deleted the file. */
const GONE = "";

/** Relative inside the working directory, otherwise absolute. */
function trackingName(path: string, cwd: string): string {
  const steps = relative(cwd, path);
  return steps === ".." || steps.startsWith(`..${sep}`) || isAbsolute(steps) ? path : steps;
}

const absolute = (name: string, cwd: string) => (isAbsolute(name) ? name : join(cwd, name));

/** Of a copy. */
const digestOf = (bytes: Uint8Array) => new Bun.CryptoHasher("sha256").update(bytes).digest("base64url");

// Need not be cryptographic: it only tells changed files from touched ones.
const hashOf = (bytes: Uint8Array) => Bun.hash(bytes).toString(36);
