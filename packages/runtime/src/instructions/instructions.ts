// The session's instructions: read once before the first request, extended when a touched file brings more, and told
// anew when they change on disk. What the model has read stays where it is, so the provider's cache holds.

import type { Snapshot } from "@keelson/config";
import {
  loadInstructions,
  memoryDirectory,
  type InstructionFile,
  type InstructionSet,
} from "@keelson/config/instructions";
import { renderChanged, renderInstructions, renderNested, type Access } from "@keelson/engine";
import { realPathOf } from "@keelson/host";
import type { HookEvent, JsonObject } from "@keelson/protocol";
import { projectDir } from "@keelson/store";

export interface SessionInstructions {
  /** What stands before the first prompt. */
  readonly preface: string;
  /** Where the model keeps its notes; undefined when it keeps none. */
  readonly memory: string | undefined;
  /** The same with links resolved, as the gate compares it. */
  readonly realMemory: string | undefined;
  /** Everything that holds by now, in order. */
  files(): readonly InstructionFile[];
  /** What begins to hold because a call touched this. */
  touched(access: Access): readonly string[];
  /** What changed on disk since it was last looked at; undefined when nothing did. */
  changes(): string | undefined;
}

export interface InstructionsOptions {
  readonly date: string;
  /** The gate's word on a file that is included or linked to; it has to be loaded first. */
  readonly gate: { ready(): Promise<unknown>; mayRead(path: string): boolean };
  report(event: HookEvent, input: JsonObject): void;
  warn(text: string): void;
}

export async function openInstructions(snapshot: Snapshot, options: InstructionsOptions): Promise<SessionInstructions> {
  const { configDir, env } = snapshot;
  const dirName = env["CLAUDE_CODE_PROJECT_DIR_NAME"];
  const projectDirectory = (root: string) => projectDir({ configDir, cwd: root, dirName });
  const set = await load(snapshot, projectDirectory, options.gate);
  const later: InstructionFile[] = [];
  let noticed = 0;

  const loaded = (files: readonly InstructionFile[]) => {
    for (const file of files) if (REPORTED_KINDS.has(file.kind)) options.report("InstructionsLoaded", eventInput(file));
    for (const notice of set.notices.slice(noticed)) options.warn(notice);
    noticed = set.notices.length;
    return files;
  };
  loaded(set.files);
  const memory = memoryDirectory(snapshot, projectDirectory);
  return {
    preface: renderInstructions(set.files, options.date),
    memory,
    realMemory: memory === undefined ? undefined : realPathOf(memory),
    files: () => [...set.files, ...later],
    touched(access) {
      if (access.kind !== "read" && access.kind !== "edit") return [];
      const more = loaded(set.nested(access.path));
      later.push(...more);
      return more.map(renderNested);
    },
    changes() {
      const changed = set.changed();
      return changed.length === 0 ? undefined : renderChanged(changed);
    },
  };
}

/** Few projects include files, and few deny reading any: only both together are worth loading the gate for. */
async function load(
  snapshot: Snapshot,
  projectDirectory: (root: string) => string,
  { ready, mayRead }: InstructionsOptions["gate"],
): Promise<InstructionSet> {
  const hides = snapshot.rules.some(({ behavior }) => behavior === "deny");
  let asked = false;
  let isDenied = (_: string) => (asked = hides);
  const read = () => loadInstructions(snapshot, { projectDirectory, isDenied: (path) => isDenied(path) });
  const set = read();
  if (hides) isDenied = (path) => !mayRead(path);
  if (!asked) return set;
  await ready();
  return read();
}

/** Memory is the model's own (observed: no event for it). */
const REPORTED_KINDS = new Set<InstructionFile["kind"]>(["Managed", "User", "Project", "Local"]);

function eventInput({ path, kind, reason, globs, trigger, parent }: InstructionFile): JsonObject {
  return {
    file_path: path,
    memory_type: kind,
    load_reason: reason,
    ...(globs ? { globs } : {}),
    ...(trigger === undefined ? {} : { trigger_file_path: trigger }),
    ...(parent === undefined ? {} : { parent_file_path: parent }),
  };
}
