// The session's instructions: read before the first request, extended when a tool touches a file with more, and sent
// again when they change on disk. Text already sent never changes, so the provider's cache stays valid.

import type { Snapshot } from "@keelson/config";
import { loadInstructions, type InstructionFile, type InstructionSet } from "@keelson/config/instructions";
import { renderChanged, renderInstructions, renderNested, type Access } from "@keelson/engine";
import type { HookEvent, JsonObject } from "@keelson/protocol";
import { projectDir } from "@keelson/store";

export interface SessionInstructions {
  /** The text before the first prompt. */
  readonly preface: string;
  /** The same without what users and projects say: the date, and the files of an administrator. */
  readonly managedPreface: string;
  /** The memory folder; undefined if memory is off. */
  readonly memory: string | undefined;
  /** The memory folder with links resolved, for the gate; undefined also if it is behind a link that is not the user's. */
  readonly realMemory: string | undefined;
  /** All files loaded so far, in order. */
  files(): readonly InstructionFile[];
  /** Loads the instructions that apply to a file a call touched. Returns their text. */
  touched(access: Access): readonly string[];
  /** The same for a subagent, which has read only the text before the first prompt. */
  forAgent(agent: AgentPlace): Pick<SessionInstructions, "touched">;
  /** What changed on disk since the last call; undefined if nothing did. */
  changes(): string | undefined;
  /** Reads everything again, after a compaction. Returns the text before the first prompt. */
  reread(): string;
}

export interface AgentPlace {
  /** The folder it works in, if it has one of its own. */
  readonly cwd?: string | undefined;
  /** It has the conversation of the session so far. */
  readonly isFork: boolean;
}

export interface InstructionsOptions {
  readonly date: string;
  /** Checks included and linked files. Call `ready` before `mayRead`. */
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
  const noticed = new Set<string>();

  const loaded = (files: readonly InstructionFile[], { notices } = set) => {
    for (const file of files) if (REPORTED_KINDS.has(file.kind)) options.report("InstructionsLoaded", eventInput(file));
    for (const notice of notices) if (!noticed.has(notice)) options.warn(notice);
    for (const notice of notices) noticed.add(notice);
    return files;
  };
  loaded(set.files);
  const isDenied = hasDenyRules(snapshot) ? (path: string) => !options.gate.mayRead(path) : () => false;
  return {
    preface: renderInstructions(set.files, options.date),
    get managedPreface() {
      return renderInstructions(
        set.files.filter(({ kind }) => kind === "Managed"),
        options.date,
      );
    },
    reread() {
      later.length = 0;
      return renderInstructions(loaded(set.reread()), options.date);
    },
    // The gate judges a path by both of its names, so the model is told the one without links.
    memory: set.memory && (set.memory.real ?? set.memory.folder),
    realMemory: set.memory?.real,
    files: () => [...set.files, ...later],
    touched(access) {
      if (access.kind !== "read" && access.kind !== "edit") return [];
      const more = loaded(set.nested(access.path));
      later.push(...more);
      return more.map(renderNested);
    },
    forAgent({ cwd = snapshot.cwd, isFork }) {
      const known = new Set(isFork ? later.map(({ path }) => path) : []);
      let own: InstructionSet | undefined;
      return {
        touched(access) {
          if (access.kind !== "read" && access.kind !== "edit") return [];
          own ??= loadInstructions({ ...snapshot, cwd }, { projectDirectory, isDenied });
          const more = own.nested(access.path).filter(({ path }) => !known.has(path));
          return loaded(more, own).map(renderNested);
        },
      };
    },
    changes() {
      const changed = set.changed();
      return changed.length === 0 ? undefined : renderChanged(changed);
    },
  };
}

/** Loads the gate only if files are included and deny rules exist; few projects have both. */
async function load(
  snapshot: Snapshot,
  projectDirectory: (root: string) => string,
  { ready, mayRead }: InstructionsOptions["gate"],
): Promise<InstructionSet> {
  const hides = hasDenyRules(snapshot);
  let asked = false;
  let isDenied = (_: string) => (asked = hides);
  const read = () => loadInstructions(snapshot, { projectDirectory, isDenied: (path) => isDenied(path) });
  const set = read();
  if (hides) isDenied = (path) => !mayRead(path);
  if (!asked) return set;
  await ready();
  return read();
}

const hasDenyRules = ({ rules }: Snapshot) => rules.some(({ behavior }) => behavior === "deny");

/** Memory files fire no event. */
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
