// What is typed into the form of a routine, and what the API gets of it. Pure.

import type { NotifyRow, ShownRoutine } from "../wire.ts";

export interface FormValues {
  readonly name: string;
  readonly prompt: string;
  readonly when: "none" | "cron" | "once";
  readonly cron: string;
  readonly zone: string;
  /** As the field for a time has it, in the zone of the browser. */
  readonly once: string;
  /** Minutes; empty: by the rule. */
  readonly jitter: string;
  readonly expires: string;
  readonly overlap: ShownRoutine["overlap"];
  readonly catchUp: ShownRoutine["catch_up"];
  readonly sources: readonly SourceValue[];
  readonly environment: string;
  readonly mode: string;
  readonly model: string;
  /** One in each line, as all texts that hold a list. */
  readonly tools: string;
  readonly minutes: string;
  readonly turns: string;
  readonly budget: string;
  readonly attempts: string;
  readonly onCrash: ShownRoutine["on_crash"];
  readonly questions: ShownRoutine["questions"];
  readonly notify: readonly Required<NotifyRow>[];
  readonly pushBranches: string;
  readonly protectedBranches: string;
  readonly comment: boolean;
}

export interface SourceValue {
  readonly url: string;
  readonly ref: string;
}

export const emptyForm = (zone: string): FormValues => ({
  name: "",
  prompt: "",
  when: "none",
  cron: "",
  zone,
  once: "",
  jitter: "",
  expires: "",
  overlap: "skip",
  catchUp: "one",
  sources: [],
  environment: "",
  mode: "dontAsk",
  model: "",
  tools: "",
  minutes: "60",
  turns: "",
  budget: "",
  attempts: "3",
  onCrash: "resume",
  questions: "deny",
  notify: [],
  pushBranches: "",
  protectedBranches: "",
  comment: false,
});

export function formOf(routine: ShownRoutine): FormValues {
  const { cron_expression: cron, run_once_at: once } = routine;
  return {
    name: routine.name,
    prompt: routine.prompt,
    when: cron !== null ? "cron" : once !== null ? "once" : "none",
    cron: cron ?? "",
    zone: routine.zone,
    once: localTime(once),
    jitter: routine.jitter_ms === null ? "" : String(routine.jitter_ms / 60_000),
    expires: localTime(routine.expires_at),
    overlap: routine.overlap,
    catchUp: routine.catch_up,
    sources: routine.sources.map(({ url, ref = "" }) => ({ url, ref })),
    environment: routine.environment_id ?? "",
    mode: routine.permission_mode,
    model: routine.model ?? "",
    tools: routine.allowed_tools.join("\n"),
    minutes: String(routine.timeout_s / 60),
    turns: textOf(routine.max_turns),
    budget: textOf(routine.budget_usd),
    attempts: String(routine.max_attempts),
    onCrash: routine.on_crash,
    questions: routine.questions,
    notify: routine.notify.map(({ kind, target, on = "failed" }) => ({ kind, target, on })),
    pushBranches: (routine.push_branches ?? []).join("\n"),
    protectedBranches: (routine.protected_branches ?? []).join("\n"),
    comment: routine.comment === true,
  };
}

/** All fields, as the API calls them. What is no number goes there as it is: the API says what is wrong with it. */
export function bodyOf(values: FormValues): Readonly<Record<string, unknown>> {
  return {
    name: values.name.trim(),
    prompt: values.prompt,
    cron_expression: values.when === "cron" ? values.cron.trim() : null,
    run_once_at: values.when === "once" ? sentTime(values.once) : null,
    zone: values.zone.trim() || "UTC",
    jitter_ms: numberIn(values.jitter, 60_000),
    expires_at: sentTime(values.expires),
    overlap: values.overlap,
    catch_up: values.catchUp,
    sources: values.sources
      .filter(({ url }) => url.trim() !== "")
      .map(({ url, ref }) => ({ url: url.trim(), ...(ref.trim() === "" ? {} : { ref: ref.trim() }) })),
    environment_id: values.environment || null,
    permission_mode: values.mode,
    model: values.model.trim() || null,
    allowed_tools: linesIn(values.tools),
    timeout_s: numberIn(values.minutes, 60),
    max_turns: numberIn(values.turns),
    budget_usd: numberIn(values.budget),
    max_attempts: numberIn(values.attempts),
    on_crash: values.onCrash,
    questions: values.questions,
    notify: values.notify.filter(({ target }) => target.trim() !== ""),
    push_branches: linesIn(values.pushBranches),
    protected_branches: linesIn(values.protectedBranches),
    comment: values.comment,
  };
}

/** The fields in which the second differs from the first: nothing else is sent, so nothing else is overwritten. */
export function changesIn(before: FormValues, after: FormValues): Readonly<Record<string, unknown>> {
  const [from, to] = [bodyOf(before), bodyOf(after)];
  const fields = Object.entries(to).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(from[name]));
  return Object.fromEntries(fields);
}

export interface Merged {
  readonly values: FormValues;
  /** What both changed: the values here are what was typed, and these are theirs. */
  readonly conflicts: readonly { readonly field: keyof FormValues; readonly theirs: string }[];
}

/** Somebody else saved meanwhile: what was typed stays, and what was not touched becomes what they saved. */
export function merge(before: FormValues, typed: FormValues, theirs: FormValues): Merged {
  const conflicts: Merged["conflicts"][number][] = [];
  const values: Record<string, unknown> = { ...theirs };
  for (const field of Object.keys(typed) as (keyof FormValues)[]) {
    const [was, mine, other] = [before[field], typed[field], theirs[field]].map((value) => JSON.stringify(value));
    if (mine === was) continue;
    values[field] = typed[field];
    if (other !== was && other !== mine) conflicts.push({ field, theirs: shownValue(theirs[field]) });
  }
  return { values: values as unknown as FormValues, conflicts };
}

function shownValue(value: FormValues[keyof FormValues]): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "yes" : "no";
  return value.map((each) => Object.values(each).filter(Boolean).join(" ")).join(", ");
}

/** The field of the form that a message of the API is about: it begins with the name of a field. */
export function fieldOf(message: string): { readonly field: string; readonly problem: string } | undefined {
  const [, field, problem] = /^([a-z][\w.]*)(?:\[\d+\][\w.]*)?: (.+)$/s.exec(message) ?? [];
  return field === undefined || problem === undefined ? undefined : { field, problem };
}

const linesIn = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

const textOf = (value: number | null) => (value === null ? "" : String(value));

function numberIn(text: string, times = 1): number | string | null {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  const value = Number(trimmed) * times;
  // Rounding is what a person means by "1.1 minutes"; a budget has parts of a dollar.
  return Number.isNaN(value) ? trimmed : times === 1 ? value : Math.round(value);
}

/** For a field of the type datetime-local. */
function localTime(at: string | null): string {
  if (at === null) return "";
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

export function sentTime(local: string): string | null {
  if (local === "") return null;
  const date = new Date(local);
  return Number.isNaN(date.getTime()) ? local : date.toISOString();
}
