// What a server reports about itself and its store, whoever asks and in whichever form. Pure.

import type { StoreCounts } from "../records/counts.ts";

export interface Figure {
  /** With dots. Prometheus gets underscores, the unit, and `total` for counters. */
  readonly name: string;
  readonly help: string;
  /** `counter`: it only grows, until this process ends. */
  readonly kind: "gauge" | "counter";
  readonly unit: "" | "s" | "By" | "USD";
  readonly points: readonly FigurePoint[];
}

export interface FigurePoint {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The same from every server of one database: add nothing up. */
export function storeFigures(counts: StoreCounts, overdue: number): readonly Figure[] {
  const { active, due, recent, startDelaysMs, workers, effects, openQuestions, routines, deliveries } = counts;
  const activeIn = (wanted: string) => active.find(({ state }) => state === wanted)?.runs ?? 0;
  const perState = (value: (row: StoreCounts["recent"][number]) => number) =>
    recent.map((row) => ({ labels: { state: row.state, cause: row.cause }, value: value(row) }));
  return [
    gauge(
      "runs.active",
      "Runs that have not ended",
      ["queued", "running", "waiting"].map((state) => ({ labels: { state }, value: activeIn(state) })),
    ),
    gauge("runs.due", "Runs that a worker could begin now", due.runs),
    gauge("runs.due.oldest", "How long the first of them could have been begun", due.oldestMs / 1_000, "s"),
    gauge(
      "triggers.overdue",
      "Due times that passed a minute ago or earlier and have no run: something is wrong",
      overdue,
    ),
    gauge(
      "runs.day",
      "Runs caused in the last 24 hours that have ended",
      perState(({ runs }) => runs),
    ),
    gauge(
      "runs.day.cost",
      "What they cost",
      perState(({ costUsd }) => costUsd),
      "USD",
    ),
    gauge(
      "runs.day.turns",
      "How many requests to a model they made",
      perState(({ turns }) => turns),
    ),
    gauge("start.delay", "From when a run was due to when it began, in the last hour", quantiles(startDelaysMs), "s"),
    gauge("workers.alive", "Workers seen in the last two minutes", workers.alive),
    gauge("workers.slots", "How many runs they perform at a time", workers.slots),
    gauge("effects.pending", "Notifications and comments that should have been delivered", effects.pending),
    gauge("effects.pending.oldest", "How long the first of them is late", effects.oldestMs / 1_000, "s"),
    gauge("questions.open", "Questions that wait for a person", openQuestions),
    gauge(
      "routines",
      "Routines; disabled ones were paused by the server, with a reason",
      Object.entries(routines).map(([state, value]) => ({ labels: { state }, value })),
    ),
    gauge(
      "deliveries.day",
      "Calls and events that arrived in the last 24 hours",
      deliveries.map(({ verdict, deliveries: value }) => ({ labels: { verdict }, value })),
    ),
  ];
}

/** Of one process. */
export interface ProcessCounts {
  readonly version: string;
  readonly startedMs: number;
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  readonly alarms: number;
  readonly requests: ReadonlyMap<string, { readonly count: number; readonly seconds: number }>;
}

export function processFigures(counts: ProcessCounts): readonly Figure[] {
  const { version, startedMs, cpuSeconds, memoryBytes, alarms, requests } = counts;
  const answered = (value: (row: { readonly count: number; readonly seconds: number }) => number) =>
    [...requests].map(([status, row]) => ({ labels: { status }, value: value(row) }));
  return [
    gauge("server", "This server, by its version", [{ labels: { version }, value: 1 }]),
    gauge("server.started", "When it started, in seconds since 1970", startedMs / 1_000, "s"),
    counter("server.cpu", "Processor time that it used", cpuSeconds, "s"),
    gauge("server.memory", "Memory that it uses", memoryBytes, "By"),
    counter("server.alarms", "What its scheduler found wrong; the log says what", alarms),
    counter(
      "server.requests",
      "Requests that it answered, by the first digit of the status",
      answered(({ count }) => count),
    ),
    counter(
      "server.requests.time",
      "How long it took to answer them",
      answered(({ seconds }) => seconds),
      "s",
    ),
  ];
}

function quantiles(values: readonly number[]): readonly FigurePoint[] {
  const sorted = values.toSorted((a, b) => a - b);
  if (sorted.length === 0) return [];
  return [0.5, 0.95, 1].map((quantile) => ({
    labels: { quantile: String(quantile) },
    value: sorted[Math.min(sorted.length - 1, Math.floor(quantile * sorted.length))]! / 1_000,
  }));
}

const figure =
  (kind: Figure["kind"]) =>
  (name: string, help: string, value: number | readonly FigurePoint[], unit: Figure["unit"] = ""): Figure => ({
    name: `keelson.routines.${name}`,
    help,
    kind,
    unit,
    points: typeof value === "number" ? [{ labels: {}, value }] : value,
  });
const gauge = figure("gauge");
const counter = figure("counter");
