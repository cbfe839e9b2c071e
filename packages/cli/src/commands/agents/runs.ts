// keelson agents runs: the tree of agents that a session ran, with the state and the cost of each.

import type { AgentRun, AgentState } from "@keelson/runtime/agents";
import { UsageError } from "../../args/invocation.ts";
import { printWarning } from "../../process/process-io.ts";
import { columns } from "../columns.ts";
import { snapshotFor, type Invoked } from "../group.ts";
import { oneLine, paletteFor, shortenFrom } from "../permissions/words.ts";

export async function showAgentRuns(call: Invoked): Promise<number> {
  const { given, words, io } = call;
  const [wanted, ...more] = words;
  if (more.length > 0) throw new UsageError("usage: keelson agents runs [session]; quote a title that contains spaces");
  const snapshot = await snapshotFor(call);
  const { configDir, cwd, env, home } = snapshot;
  const { findAgentRuns } = await import("@keelson/runtime/agents");
  const place = { configDir, cwd, dirName: env["CLAUDE_CODE_PROJECT_DIR_NAME"] };
  const found = findAgentRuns(place, wanted, Date.now());
  if ("message" in found) throw new UsageError(found.message);
  const { session, folder, runs, problems } = found;
  const tree = asTree(runs);

  if (given.has("json")) {
    const agents = tree.map(({ run: { id, state, meta, durationMs, transcript } }) => {
      const { finished: _, status: __, pid: ___, procStart: ____, ...shown } = meta;
      return { id, state, ...shown, ...(durationMs === undefined ? {} : { durationMs }), transcript };
    });
    await io.write(`${JSON.stringify({ session, agents, problems }, null, 2)}\n`);
    return 0;
  }

  if (runs.length === 0) await io.write(`No agents ran in session ${session}\n`);
  else {
    const palette = paletteFor(io);
    const head = ["agent", "task", "state", "turns", "tokens", "cost", "time", "last tool", "id"];
    const [title, ...rows] = columns([head, ...tree.map(cells)]);
    const transcripts = `Transcripts: ${shortenFrom(cwd, home)(folder)}/agent-<id>.jsonl`;
    const lines = [`Session ${session}`, "", palette.dim(title!), ...rows, "", totalOf(runs), palette.dim(transcripts)];
    await io.write(`${lines.join("\n")}\n`);
  }
  for (const problem of problems) printWarning(io, problem);
  return 0;
}

interface Branch {
  readonly run: AgentRun;
  /** How many of the agents above it are shown. */
  readonly depth: number;
}

/** Each agent after the one that started it. An agent whose parent is not known is shown like one of the session's. */
function asTree(runs: readonly AgentRun[]): readonly Branch[] {
  const ids = new Set(runs.map(({ id }) => id));
  const parentOf = ({ id, meta: { parentAgentId: parent } }: AgentRun) =>
    parent !== undefined && parent !== id && ids.has(parent) ? parent : undefined;
  const shown = new Set<AgentRun>();
  const below = (run: AgentRun, depth: number): Branch[] => {
    if (shown.has(run)) return [];
    shown.add(run);
    const children = runs.filter((other) => parentOf(other) === run.id);
    return [{ run, depth }, ...children.flatMap((child) => below(child, depth + 1))];
  };
  const roots = runs.filter((run) => parentOf(run) === undefined);
  // Damaged files may name each other as parents.
  return [...roots, ...runs].flatMap((run) => below(run, 0));
}

function cells({ run: { id, state, meta, durationMs }, depth }: Branch): readonly string[] {
  const { agentType, name, description, turns, totalTokens, costUSD, lastTool } = meta;
  const called = name === undefined ? agentType : `${name} (${agentType})`;
  return [
    `${"  ".repeat(Math.min(depth, 10))}${oneLine(called, 40)}`,
    oneLine(description, 40),
    STATES[state],
    turns === undefined ? "" : String(turns),
    totalTokens === undefined ? "" : String(totalTokens),
    dollars(costUSD),
    durationMs === undefined ? "" : duration(durationMs),
    oneLine(lastTool ?? "", 30),
    id,
  ];
}

const STATES: Readonly<Record<AgentState, string>> = {
  running: "running",
  completed: "completed",
  failed: "failed",
  stopped: "stopped",
  died: "process died",
  unknown: "unknown",
};

function totalOf(runs: readonly AgentRun[]): string {
  const running = runs.filter(({ state }) => state === "running").length;
  const counted = `${runs.length} ${runs.length === 1 ? "agent" : "agents"}`;
  const costs = runs.map(({ meta }) => meta.costUSD);
  const known = costs.filter((cost) => typeof cost === "number");
  const sum = known.reduce((total, cost) => total + cost, 0);
  const some = known.length === 0 ? "cost unknown" : `at least ${dollars(sum)}`;
  const cost = known.length === costs.length ? dollars(sum) : some;
  return `${counted}${running === 0 ? "" : `, ${running} running`}, ${cost}`;
}

const dollars = (amount: number | null | undefined) =>
  amount === undefined ? "" : amount === null ? "unknown" : `$${amount.toFixed(4)}`;

function duration(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)}s`;
  return ms < 60_000 ? `${Math.round(ms / 1000)}s` : `${Math.floor(ms / 60_000)}m ${Math.floor((ms % 60_000) / 1000)}s`;
}
