// Plan mode: where the plan file is, and the notices the model gets about the mode. The gate decides which calls the
// mode allows.

import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Snapshot } from "@keelson/config";
import { PLAN_MODE_OVER, renderPlanMode } from "@keelson/engine";
import { readOwnFile } from "@keelson/disk/own-files";
import { realPathOf, unplantedFolder } from "@keelson/disk/real-path";
import { asReminder, type ChainEntry, type NewEntry, type PermissionMode } from "@keelson/protocol";
import type { PlanKeeper } from "@keelson/tools";
import type { RuleBook } from "../gate/rule-book.ts";
import { toolsOf, type SessionState } from "./state.ts";
import type { Storage } from "./storage.ts";

interface PlanModeOptions {
  readonly state: Pick<SessionState, "snapshot" | "tools" | "agent" | "planName">;
  mode(): PermissionMode;
  setMode(mode: PermissionMode): string | undefined;
  readonly past: readonly ChainEntry[];
  /** The conversation is a fork. The plan stays with the original session. */
  readonly forked: boolean;
  random(): number;
  newId(): string;
}

export interface PlanMode extends PlanKeeper {
  /** Notices for the model if the mode changed since the last call. */
  takeNotices(): readonly NewEntry[];
  /** A new conversation has no plan. */
  restart(): void;
  /** The conversation went back and has only these entries. The plan stays. */
  rewound(entries: readonly ChainEntry[]): void;
  /** For a conversation that was compacted: the plan, and the notices about the mode if it still applies. */
  again(): readonly NewEntry[];
  /** Sets the client's own planning instructions. */
  setWorkflow(text: string | undefined): void;
}

/** The plan stage of a session. The gate needs it: it allows edits of the plan. */
export function openPlan(storage: Storage, ruleBook: RuleBook): PlanMode {
  const { options, place, state, newId } = storage;
  const plan = planMode({
    state,
    mode: () => ruleBook.mode,
    setMode: (mode) => ruleBook.setMode(mode),
    past: place.loaded?.entries ?? [],
    forked: options.session.fork === true,
    random: Math.random,
    newId,
  });
  storage.onClear(() => plan.restart());
  storage.onRewind((entries) => plan.rewound(entries));
  return plan;
}

function planMode({ state, mode, past, forked, ...options }: PlanModeOptions): PlanMode {
  const wasPlanning = (entries: readonly ChainEntry[]) =>
    entries.map(attachmentType).findLast((type) => type === "plan_mode" || type === "plan_mode_exit") === "plan_mode";
  /** What the model last read. Undefined: it was told something outdated and needs a notice in any mode. */
  let told = !wasPlanning(past) ? false : forked ? undefined : true;
  state.planName = forked ? undefined : past.findLast(({ slug }) => isPlanName(slug))?.slug;
  let workflow: string | undefined;

  const place = (plan: string) => join(folderOf(state.snapshot), `${plan}.md`);
  const begun = () => place((state.planName ??= newPlanName(options.random, (each) => existsSync(place(each)))));
  const path = () => (state.planName === undefined ? undefined : place(state.planName));
  const text = () => (state.planName === undefined ? undefined : readPlan(place(state.planName)));

  const entry = (type: "plan_mode" | "plan_mode_exit", planFilePath: string, content: string): NewEntry => ({
    type: "attachment",
    uuid: options.newId(),
    attachment: { type, planFilePath, planExists: text() !== undefined },
    rendered: [{ content: asReminder(content) }],
    renderedRole: "user",
  });

  const takeNotices = (): readonly NewEntry[] => {
    const planning = mode() === "plan";
    if (planning === told) return [];
    told = planning;
    const planFile = begun();
    if (!planning) return [entry("plan_mode_exit", planFile, PLAN_MODE_OVER)];
    const facts = {
      planFile,
      planExists: text() !== undefined,
      workflow,
      toolNames: toolsOf(state).map(({ name }) => name),
    };
    return [entry("plan_mode", planFile, renderPlanMode(facts))];
  };

  return {
    path,
    text,
    isPlanning: () => mode() === "plan",
    begin: () => options.setMode("plan"),
    end() {
      if (mode() === "plan") options.setMode("default");
    },
    restart() {
      told = false;
      state.planName = undefined;
    },
    rewound(entries) {
      told = wasPlanning(entries);
    },
    again() {
      told = false;
      const [planFilePath, planContent] = [path(), text()];
      const notices = takeNotices();
      if (planFilePath === undefined || planContent === undefined) return notices;
      const words = `This is the plan of this session, from ${planFilePath}:\n\n${planContent}`;
      const plan: NewEntry = {
        type: "attachment",
        uuid: options.newId(),
        attachment: { type: "plan_file_reference", planFilePath, planContent },
        rendered: [{ content: asReminder(words) }],
        renderedRole: "user",
      };
      return [plan, ...notices];
    },
    setWorkflow: (words) => (workflow = words),
    takeNotices,
  };
}
const attachmentType = (entry: ChainEntry) => (entry.type === "attachment" ? entry.attachment.type : undefined);

/**
 * Resolves links, because the gate compares resolved paths. If a command may have put a link in the way, the folder is named as
 * it is: behind the link, nothing is the plan.
 */
function folderOf({ settings, configDir, home, cwd }: Snapshot): string {
  const chosen = settings["plansDirectory"];
  const isChosen = typeof chosen === "string" && chosen.trim() !== "";
  const config = realPathOf(configDir);
  const given = isChosen ? (chosen.startsWith("~/") ? join(home, chosen.slice(2)) : resolve(cwd, chosen)) : undefined;
  const folder = given ?? join(config, "plans");
  return unplantedFolder(folder, [cwd, config, dirname(folder)]) ?? folder;
}

const MAX_PLAN_BYTES = 256 * 1024;

/** The start of the plan; undefined if it is missing, empty or not a regular file. */
function readPlan(path: string): string | undefined {
  try {
    const text = readOwnFile(path, MAX_PLAN_BYTES)?.toString();
    return text?.trim() ? text : undefined;
  } catch {
    return undefined;
  }
}

// A plan's name is three words.
const FIRST = "calm clear cold deep dry early even fair fast fine firm fresh green keen kind late light mild new".split(
  " ",
);
const SECOND =
  "amber ash birch cedar chalk clay copper coral fern flint ivory jade maple moss oak pearl pine slate".split(" ");
const THIRD =
  "anchor beacon bridge brook canyon compass delta ferry field harbor island lantern ledge meadow mill ridge".split(
    " ",
  );

/** `random` works like Math.random. A taken name gets a number. */
function newPlanName(random: () => number, isTaken: (name: string) => boolean): string {
  const pick = (words: readonly string[]) => words[Math.floor(random() * words.length)]!;
  const name = [FIRST, SECOND, THIRD].map(pick).join("-");
  for (let count = 1; ; count++) {
    const numbered = count === 1 ? name : `${name}-${count}`;
    if (!isTaken(numbered)) return numbered;
  }
}

/** Checks a name from a transcript, because it becomes part of a path. */
const isPlanName = (name: unknown): name is string =>
  typeof name === "string" && /^[a-z0-9][a-z0-9-]{0,99}$/.test(name);
