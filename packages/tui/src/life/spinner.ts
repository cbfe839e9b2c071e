// One row that says that the agent works: at what, for how long, how much it wrote, and how to stop it.

import { isList, isObject, type Outbound, type JsonObject } from "@keelson/protocol";
import { elapsed, shortCount } from "../blocks/amounts.ts";
import { sign } from "../blocks/look.ts";
import { titleOf } from "../blocks/calls/titles.ts";
import { isDone, type StreamItem } from "../stream/item.ts";
import { cleanRow } from "../screen/clean.ts";
import { fit, width } from "../screen/rows.ts";
import type { Frame } from "../screen/view.ts";
import type { Theme } from "../theme/theme.ts";
import { DEFAULT_VERBS } from "./verbs.ts";

const STEP_MS = 160;
/** There, the shortest word is used. */
const NARROW = 50;
const STEPS = ["◐", "◓", "◑", "◒"];
const ASCII_STEPS = ["|", "/", "-", "\\"];

interface SpinnerFacts {
  readonly startedMs: number;
  /** How long it has waited for the user since then. */
  readonly waitedMs?: number;
  /** What the todo list says is being done. */
  readonly activity?: string;
  /** Tokens that the model wrote, and that it read last. */
  readonly written: number;
  readonly read: number;
  /** What is happening, such as the name of a running tool. */
  readonly running?: string;
  /** The key that interrupts, as it is shown. */
  readonly interruptKey: string;
}

export class Spinner {
  readonly #verbs: readonly string[];
  #compacting = false;
  #hook: string | undefined;

  /** `settings`: its `spinnerVerbs` replace ours or are added to them. */
  constructor(settings: JsonObject) {
    this.#verbs = verbsOf(settings["spinnerVerbs"]);
  }

  take(message: Outbound): void {
    if (message.type === "result") {
      this.#compacting = false;
      this.#hook = undefined;
    }
    if (message.type !== "system") return;
    if (message.subtype === "status") this.#compacting = message.status === "compacting";
    else if (message.subtype === "hook_started") this.#hook = message.hook_name;
    else if (message.subtype === "hook_response") this.#hook = undefined;
  }

  render(facts: SpinnerFacts, { columns, theme, now }: Frame): string {
    const steps = theme.ascii ? ASCII_STEPS : STEPS;
    const step = theme.reducedMotion ? 0 : Math.floor(now / STEP_MS) % steps.length;
    const time = elapsed(now - facts.startedMs - (facts.waitedMs ?? 0));
    const stop = facts.interruptKey === "" ? "" : `${facts.interruptKey} to interrupt`;
    // The time and the way out are always there.
    const words = fit(`${this.#words(facts, columns)}…`, Math.max(8, columns - 6 - width(time) - width(stop)));
    const details = [
      time,
      tokens(facts, theme),
      this.#hook === undefined ? (facts.running ?? "") : `hook ${cleanRow(this.#hook)}`,
      stop,
    ];
    let room = columns - 3 - width(words) - width(time) - width(stop) - 3;
    const shown = details.filter((detail) => {
      if (detail === "") return false;
      if (detail === time || detail === stop) return true;
      if (width(detail) + 3 > room) return false;
      room -= width(detail) + 3;
      return true;
    });
    const row = `${theme.paint("accent", `${steps[step]!} ${words}`)} ${theme.paint("dim", shown.join(" · "))}`;
    return fit(row, columns);
  }

  /** Milliseconds until it looks different. */
  nextChange(now: number, { reducedMotion }: { readonly reducedMotion: boolean }): number {
    return reducedMotion ? 1000 - (now % 1000) : STEP_MS - (now % STEP_MS);
  }

  #words({ activity, startedMs }: SpinnerFacts, columns: number): string {
    if (this.#compacting) return "Compacting the conversation";
    if (activity !== undefined) return activity;
    if (columns < NARROW) return this.#verbs[0]!;
    return this.#verbs[Math.floor(startedMs / 1000) % this.#verbs.length]!;
  }
}

/** What runs now, from the items that are not finished. */
export function runningNow(items: readonly StreamItem[]): string | undefined {
  const calls = items
    .flatMap((item) => (item.kind === "call" ? [item] : item.kind === "reads" ? item.calls : []))
    .filter((call) => !isDone(call));
  if (calls.length > 1) return `${calls.length} calls running`;
  const [call] = calls;
  if (call) return `${call.state === "pending" ? "writing" : "running"} ${titleOf(call).name}`;
  return items.some((item) => item.kind === "thinking" && !item.done) ? "thinking" : undefined;
}

/** `↑ 100 ↓ 78 tokens`: read and written. */
function tokens({ read, written }: SpinnerFacts, theme: Theme): string {
  const parts = [
    ...(read > 0 ? [`${sign("upwards", theme)} ${shortCount(read)}`] : []),
    ...(written > 0 ? [`${sign("downwards", theme)} ${shortCount(written)}`] : []),
  ];
  return parts.length === 0 ? "" : `${parts.join(" ")} tokens`;
}

function verbsOf(setting: unknown): readonly string[] {
  const { verbs, mode } = isObject(setting) ? setting : {};
  const own = isList(verbs) ? verbs.filter((verb) => typeof verb === "string" && verb !== "") : [];
  const clean = own.map((verb) => cleanRow(String(verb)));
  if (clean.length === 0) return DEFAULT_VERBS;
  return mode === "replace" ? clean : [...DEFAULT_VERBS, ...clean];
}
