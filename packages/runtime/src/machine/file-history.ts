// File checkpoints of a session: a checkpoint per prompt, with a copy of each file before a tool overwrites it. Loaded
// only if checkpoints are on.

import type { Snapshot } from "@keelson/config";
import type { Files } from "@keelson/engine";
import { realPathOf } from "@keelson/disk/real-path";
import { blocksOf, isToolUse, type FileHistoryEntry, type NewEntry, type ToolUseBlock } from "@keelson/protocol";
import {
  openCheckpoints,
  pruneFileHistory,
  readFileHistory,
  type OriginalFile,
  type RewindOptions,
  type RewindResult,
} from "@keelson/store/checkpoints";
import type { FilesWithUnsaved } from "../open-files/open-files.ts";
import type { SessionPlace } from "../session/place.ts";

export interface FileHistory {
  /** Call with entries before recording them. A prompt starts a checkpoint; a tool call is remembered for its edits. */
  beforeRecord(entries: readonly NewEntry[]): void;
  /** Wraps files to keep a copy before each write. `judged` returns where the gate saw a path lead. */
  wrap(files: Files | FilesWithUnsaved, call: ToolUseBlock, judged: (path: string) => string | undefined): Files;
  rewind(prompt: string, options: RewindOptions): Promise<RewindResult>;
  /** The files that tools changed, as they were before that. */
  originals(): readonly OriginalFile[];
  /** The session has another id from now on, and no checkpoints. */
  restart(): void;
  /** Deletes copies of old sessions. */
  close(): Promise<void>;
}

export interface FileHistoryOptions {
  readonly place: SessionPlace;
  note(entry: FileHistoryEntry): void;
  warn(text: string): void;
  wasOwnCommand(mtimeMs: number): boolean;
  /** Called before these files are restored; the returned function after it. */
  beginWrite(paths: readonly string[]): () => void;
  now(): number;
}

export function openFileHistory(snapshot: Snapshot, path: string, options: FileHistoryOptions): FileHistory {
  const { place } = options;
  const { configDir, cwd } = snapshot;
  const open = () =>
    openCheckpoints({
      configDir,
      sessionId: place.id,
      cwd,
      ...(place.loaded ? { past: readFileHistory(path, configDir) } : {}),
      append: (entry) => options.note(entry),
      now: options.now,
      warn: options.warn,
      wasOwnCommand: options.wasOwnCommand,
      beginWrite: options.beginWrite,
    });
  let checkpoints = open();
  /** From the id of a call to the entry that contains it. */
  const callers = new Map<string, string>();

  return {
    beforeRecord(entries) {
      for (const entry of entries) {
        if (entry.type === "user" && entry.promptSource !== undefined) {
          checkpoints.prompt(entry.uuid);
          callers.clear();
        } else if (entry.type === "assistant") {
          for (const block of blocksOf(entry.message.content).filter(isToolUse)) callers.set(block.id, entry.uuid);
        }
      }
    },
    wrap: (files, call, judged) => ({
      ...files,
      async write(path, bytes) {
        const place = judged(path) ?? realPathOf(path);
        checkpoints.before(place, callers.get(call.id) ?? "", "unsaved" in files ? files.unsaved(path) : undefined);
        await files.write(path, bytes);
        checkpoints.wrote(place, bytes);
      },
    }),
    originals: () => checkpoints.originals(),
    rewind: (prompt, how) => checkpoints.rewind(prompt, how),
    restart() {
      checkpoints = open();
      callers.clear();
    },
    async close() {
      const days = snapshot.settings.cleanupPeriodDays;
      await pruneFileHistory({
        configDir,
        keep: place.id,
        now: options.now(),
        ...(days === undefined ? {} : { days }),
      });
    },
  };
}
