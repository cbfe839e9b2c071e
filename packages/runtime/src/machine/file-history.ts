// File checkpoints of a session, joined to what it records and to the files its tools write. Off means nothing of it
// is loaded or kept.

import type { Snapshot } from "@keelson/config";
import type { Files } from "@keelson/engine";
import { realPathOf } from "@keelson/host";
import { blocksOf, isToolUse, type FileHistoryEntry, type NewEntry, type ToolUseBlock } from "@keelson/protocol";
import { openCheckpoints, pruneFileHistory, readFileHistory, type RewindResult } from "@keelson/store";
import type { SessionPlace } from "../session/place.ts";

export interface FileHistory {
  /** What is about to be recorded: a prompt begins a checkpoint, a call gives edits their place. */
  beforeRecord(entries: readonly NewEntry[]): void;
  /** The same files, with a copy kept before each write. `judged` tells where a path leads. */
  wrap(files: Files, call: ToolUseBlock, judged: (path: string) => string | undefined): Files;
  rewind(prompt: string, options: { readonly dryRun: boolean }): RewindResult;
  /** At the end, when nobody waits: copies of sessions long past go. */
  close(): Promise<void>;
}

export interface FileHistoryOptions {
  readonly place: SessionPlace;
  /** A person sits in front of it: on by default. */
  readonly interactive?: boolean;
  note(entry: FileHistoryEntry): void;
  warn(text: string): void;
  wasOwnCommand(mtimeMs: number): boolean;
  now(): number;
}

const isOn = (value: string | undefined) => value !== undefined && /^(?:1|true|yes|on)$/i.test(value.trim());

/** Headless it is the client who asks for it, by a variable its SDK sets; the setting alone does as well (observed). */
export function checkpointsEnabled(
  { env, settings }: Pick<Snapshot, "env" | "settings">,
  interactive = false,
): boolean {
  if (isOn(env["CLAUDE_CODE_DISABLE_FILE_CHECKPOINTING"])) return false;
  if (isOn(env["CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING"])) return true;
  const setting = settings["fileCheckpointingEnabled"];
  return interactive ? setting !== false : setting === true;
}

/** Undefined when checkpoints are off, or nothing of the session is kept. */
export async function openFileHistory(
  snapshot: Snapshot,
  options: FileHistoryOptions,
): Promise<FileHistory | undefined> {
  const { place } = options;
  if (place.path === null || !checkpointsEnabled(snapshot, options.interactive)) return undefined;
  const { configDir, cwd } = snapshot;
  const checkpoints = await openCheckpoints({
    configDir,
    sessionId: place.id,
    cwd,
    ...(place.loaded ? { past: await readFileHistory(place.path) } : {}),
    append: (entry) => options.note(entry),
    now: options.now,
    warn: options.warn,
    wasOwnCommand: options.wasOwnCommand,
  });
  /** Which entry holds a call. */
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
        checkpoints.before(place, callers.get(call.id) ?? "");
        await files.write(path, bytes);
        checkpoints.wrote(place, bytes);
      },
    }),
    rewind: (prompt, { dryRun }) => checkpoints.rewind(prompt, { dryRun }),
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
