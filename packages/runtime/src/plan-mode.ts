// Plan mode of a session: where its plan is kept, and what the model has been told of the mode. Which calls the mode
// lets through is the gate's business.

import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Snapshot } from "@keelson/config";
import { PLAN_MODE_OVER, renderPlanMode } from "@keelson/engine";
import { realPathOf } from "@keelson/host";
import type { ChainEntry, NewEntry, PermissionMode } from "@keelson/protocol";
import type { PlanKeeper } from "@keelson/tools";
import { isPlanName, newPlanName } from "./plan-name.ts";

export interface PlanModeOptions {
  snapshot(): Snapshot;
  mode(): PermissionMode;
  setMode(mode: PermissionMode): string | undefined;
  toolNames(): readonly string[];
  /** The conversation so far; empty when its plan is another session's. */
  readonly past: readonly ChainEntry[];
  random(): number;
  newId(): string;
}

export interface PlanMode extends PlanKeeper {
  /** The name of the plan; undefined before there was one. */
  name(): string | undefined;
  /** What the model has to hear since it was last told. */
  news(): readonly NewEntry[];
  /** A client's own words on how to go about planning. */
  setWorkflow(text: string | undefined): void;
}

export function openPlanMode({ mode, past, ...options }: PlanModeOptions): PlanMode {
  const last = past.findLast(({ type, ...entry }) => type === "attachment" && isAbout(entry));
  let told = last !== undefined && (last as { attachment: { type: string } }).attachment.type === "plan_mode";
  let name = past.map((entry) => entry.slug).findLast(isPlanName);
  let workflow: string | undefined;

  const place = (plan: string) => join(folderOf(options.snapshot()), `${plan}.md`);
  const begun = () => place((name ??= newPlanName(options.random, (each) => existsSync(place(each)))));
  const path = () => (name === undefined ? undefined : place(name));
  const text = () => (name === undefined ? undefined : readPlan(place(name)));

  const entry = (type: "plan_mode" | "plan_mode_exit", planFilePath: string, content: string): NewEntry => ({
    type: "attachment",
    uuid: options.newId(),
    attachment: { type, planFilePath, planExists: text() !== undefined },
    rendered: [{ content: `<system-reminder>\n${content}\n</system-reminder>` }],
    renderedRole: "user",
  });

  return {
    name: () => name,
    path,
    text,
    isPlanning: () => mode() === "plan",
    begin: () => options.setMode("plan"),
    end() {
      if (mode() === "plan") options.setMode("default");
    },
    setWorkflow: (words) => (workflow = words),
    news() {
      const planning = mode() === "plan";
      if (planning === told) return [];
      told = planning;
      const planFile = begun();
      if (!planning) return [entry("plan_mode_exit", planFile, PLAN_MODE_OVER)];
      const facts = { planFile, planExists: text() !== undefined, workflow, toolNames: options.toolNames() };
      return [entry("plan_mode", planFile, renderPlanMode(facts))];
    },
  };
}

function isAbout(entry: object): boolean {
  const { attachment } = entry as { attachment?: { type?: unknown } };
  return attachment?.type === "plan_mode" || attachment?.type === "plan_mode_exit";
}

/** With links resolved: the gate compares where a path leads. */
function folderOf({ settings, configDir, home, cwd }: Snapshot): string {
  const { plansDirectory: given } = settings;
  if (typeof given !== "string" || given.trim() === "") return realPathOf(join(configDir, "plans"));
  return realPathOf(given.startsWith("~/") ? join(home, given.slice(2)) : resolve(cwd, given));
}

const MOST_BYTES = 256 * 1024;

/** The head of a regular file; undefined when there is none, or nothing in it. */
function readPlan(path: string): string | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    if (!fstatSync(fd).isFile()) return undefined;
    const text = readFileSync(fd).subarray(0, MOST_BYTES).toString("utf8");
    return text.trim() === "" ? undefined : text;
  } finally {
    closeSync(fd);
  }
}
