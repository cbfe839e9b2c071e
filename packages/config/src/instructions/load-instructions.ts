// The instruction files of a session: those read at the start, those that apply when a tool touches a file, and those that
// changed since. It only reads; it runs nothing and keeps no state outside the set.

import { dirname, join, relative, resolve, sep } from "node:path";
import type { InstructionChange, InstructionFile, LeftOut, LoadReason, WaitingRule } from "./instruction-file.ts";
import type { MemoryFolder } from "./memory.ts";
import { sight } from "./files/sighting.ts";
import { folderFiles, readTiers, type InstructionOptions, type InstructionSettings, type Tiers } from "./tiers.ts";

export interface InstructionSet {
  /** For the first message of a session, in order. Updated by `changed`. */
  readonly files: readonly InstructionFile[];
  /** Where the memory is; undefined if it is off. */
  readonly memory: MemoryFolder | undefined;
  /** Problems to show the user, one sentence each. `nested` may add some. */
  readonly notices: readonly string[];
  readonly leftOut: readonly LeftOut[];
  /** Rules whose paths no touched file has matched yet. */
  readonly waiting: readonly WaitingRule[];
  /** The instructions that apply because this file was touched, each once. Cheap if there are none. */
  nested(path: string): readonly InstructionFile[];
  /** What changed on disk since the last call. Costs one stat per file. */
  changed(): readonly InstructionChange[];
  /** Reads everything again, after a compaction; touched files then add their instructions again. */
  reread(): readonly InstructionFile[];
}

export function loadInstructions(settings: InstructionSettings, options: InstructionOptions): InstructionSet {
  let state = start(settings, options, "session_start");
  const said: string[] = [];
  return {
    get files() {
      return state.files;
    },
    memory: state.memory,
    get notices() {
      return addNotices(said, state.collector.leftOut);
    },
    get leftOut() {
      return state.collector.leftOut;
    },
    get waiting() {
      return state.collector.waiting.filter((rule) => !state.released.has(rule.path));
    },
    nested: (path) => touch(state, resolve(settings.cwd, path)),
    changed() {
      if (![...state.collector.watched].some(([path, { stamp }]) => sight(path).stamp !== stamp)) return [];
      const before = state;
      state = start(settings, options, "session_start");
      for (const path of before.touched) touch(state, path);
      return compare([...before.files, ...before.later], [...state.files, ...state.later]);
    },
    reread() {
      state = start(settings, options, "compact");
      return state.files;
    },
  };
}

interface State extends Tiers {
  /** The instructions that touched files added. */
  readonly later: InstructionFile[];
  /** The touched files that added instructions, in order. */
  readonly touched: string[];
  /** Files and folders that are already handled. */
  readonly known: Set<string>;
  readonly released: Set<string>;
}

function start(settings: InstructionSettings, options: InstructionOptions, reason: LoadReason): State {
  const tiers = readTiers(settings, options, reason);
  return { ...tiers, later: [], touched: [], known: new Set(), released: new Set() };
}

const MOST_KNOWN = 20_000;

function touch(state: State, path: string): readonly InstructionFile[] {
  const { plan, collector, known, released } = state;
  if (known.has(path)) return [];
  if (known.size >= MOST_KNOWN) known.clear();
  known.add(path);

  const found: InstructionFile[] = [];
  let next = 0;
  const settle = () => {
    for (; next < collector.waiting.length; next++) {
      const rule = collector.waiting[next]!;
      const inner = relative(rule.base, path).split(sep).join("/");
      if (released.has(rule.path) || inner === "" || inner.startsWith("../") || !rule.patterns.covers(inner)) continue;
      released.add(rule.path);
      found.push(...collector.release(rule, path));
    }
  };
  settle();
  for (const folder of between(plan.cwd, dirname(path))) {
    if (known.has(folder)) continue;
    known.add(folder);
    found.push(...folderFiles(folder, plan, { reason: "nested_traversal", trigger: path }, collector));
    settle();
  }
  if (found.length > 0) state.touched.push(path);
  state.later.push(...found);
  return found;
}

/** The folders between `top` and `folder`, outermost first. */
function between(top: string, folder: string): readonly string[] {
  const inner = relative(top, folder);
  if (inner === "" || inner === ".." || inner.startsWith(`..${sep}`)) return [];
  const names = inner.split(sep);
  return names.map((_, at) => join(top, ...names.slice(0, at + 1)));
}

const MOST_NOTICES = 20;

/** Each notice once per session, up to a limit. */
function addNotices(said: string[], leftOut: readonly LeftOut[]): readonly string[] {
  for (const notice of leftOut.filter(({ notable }) => notable).map(sentence)) {
    if (said.length > MOST_NOTICES) break;
    if (said.includes(notice)) continue;
    said.push(
      said.length === MOST_NOTICES ? "More problems with instruction files: run keelson instructions list" : notice,
    );
  }
  return [...said];
}

function sentence({ path, why, parent, real }: LeftOut): string {
  const by = parent === undefined ? "" : `, included by ${parent}`;
  const fix = real === undefined ? "" : `; to approve it, run: keelson instructions approve ${shellWord(real)}`;
  return `Instruction file ${path}${by}: ${why}${fix}`;
}

const shellWord = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** Without memory: the model wrote it, so changes there are not news. */
function compare(before: readonly InstructionFile[], now: readonly InstructionFile[]): readonly InstructionChange[] {
  const isNews = ({ kind }: InstructionFile) => kind !== "AutoMemory" && kind !== "TeamMemory";
  const old = new Map(before.filter(isNews).map((file) => [file.path, file]));
  const changes = now.filter(isNews).flatMap((file): readonly InstructionChange[] => {
    const earlier = old.get(file.path);
    old.delete(file.path);
    if (earlier?.text === file.text) return [];
    return [{ ...file, change: earlier === undefined ? "appeared" : "changed" }];
  });
  return [
    ...changes,
    ...[...old.values()].map((file) => ({ ...file, text: "", bytes: 0, change: "vanished" as const })),
  ];
}
