// The ports every agent of a session shares: the same machine, gate and budget. The session's own run adds its streams
// (ports.ts); an agent hook narrows the tools.

import type { Snapshot } from "@keelson/config";
import { ToolError, type Limits, type Ports } from "@keelson/engine";
import { createFiles } from "@keelson/host";
import type { Permit } from "../gate/approvals.ts";
import type { Gate } from "../gate/gate.ts";
import type { Machine } from "../machine/machine.ts";
import type { Storage } from "./storage.ts";

const CONCURRENCY = 32;
const STRUCTURED_ATTEMPTS = 5;
/** Ten times the cost of 100,000 files with ordinary rules. */
const RULES_LIMIT_MS = 10_000;

export type AgentPorts = Pick<
  Ports,
  | "tools"
  | "allTools"
  | "concurrency"
  | "forbids"
  | "permit"
  | "context"
  | "spill"
  | "fitImage"
  | "charge"
  | "spent"
  | "now"
  | "timeCall"
  | "newId"
>;

export interface AgentParts {
  readonly storage: Storage;
  readonly machine: Machine;
  readonly gate: Gate;
  readonly permit: Permit;
}

/** `agent` is the id of the subagent whose ports they are. */
export function agentPorts(
  { storage, machine, gate, permit }: AgentParts,
  signal: AbortSignal,
  agent?: string,
): AgentPorts {
  const { state, cost, now, newId, callTimes } = storage;
  return {
    tools: () => state.tools,
    allTools: state.allTools,
    concurrency: concurrencyOf(state.snapshot),
    forbids: (request) => gate.forbids(request),
    permit: (request, withdrawn) => permit(request, AbortSignal.any([signal, withdrawn])),
    context: toolContexts(machine, gate, signal, storage),
    spill: (name, text) => machine.spill(name, text),
    // 5 ms, and only images need it.
    fitImage: async (block) => (await import("@keelson/tools/image")).fitImage(block),
    charge: (usage, name, durationMs) => cost.charge(usage, name, durationMs),
    spent: () => cost.totalUsd,
    now,
    timeCall(id) {
      const ended = callTimes.start(id, agent);
      if (!storage.clients.wants("liveCalls")) return ended;
      const stopped = storage.liveCalls.get().began(id, agent);
      return () => {
        stopped();
        return ended();
      };
    },
    newId,
  };
}

/**
 * The context of one tool call: the machine, and files that resolve paths as the gate judged them. `storage`: of a session with
 * clients and language servers that have to do with its files.
 */
export function toolContexts(
  { tools, fileHistory }: Machine,
  gate: Gate,
  signal: AbortSignal,
  storage?: Pick<Storage, "clients" | "openFiles" | "state" | "liveCalls">,
): Ports["context"] {
  return (call) => {
    const judged = (path: string) => gate.judgedPath(call, path);
    const mayRead = (path: string) => gate.ruleBook.mayRead(path);
    const disk = createFiles(judged);
    const open =
      storage && hasOffers(storage.clients)
        ? storage.openFiles.get().wrap(disk, { seen: tools.seen, signal, judged, mayRead })
        : disk;
    const files = fileHistory ? fileHistory.wrap(open, call, judged) : open;
    return {
      ...tools,
      files: storage?.state.codeWatch?.wrap(files, tools) ?? files,
      toolUseId: call.id,
      signal,
      printed: (chunk) => storage?.liveCalls.made?.printed(call.id, chunk),
      mayRead: boundedRead(mayRead, () => performance.now()),
    };
  };
}

const hasOffers = ({ all }: Storage["clients"]) => [...all].some(({ openFiles: offer }) => offer?.read === true);

/**
 * For one call that may look at many files: with slow rules, checking them would block the event loop. Past the limit, the call
 * fails; it neither skips files nor shows denied ones.
 */
export function boundedRead(
  mayRead: (path: string) => boolean,
  now: () => number,
  limitMs: number = RULES_LIMIT_MS,
): (path: string) => boolean {
  let elapsed = 0;
  return (path) => {
    if (elapsed > limitMs)
      throw new ToolError(
        "Checking the permission rules for this many files takes too long. Narrow the path or pattern.",
      );
    const started = now();
    const answer = mayRead(path);
    elapsed += now() - started;
    return answer;
  };
}

/** Limits of a run, from flags, settings and environment. */
export function limitsOf({ flags, settings, env }: Snapshot): Limits {
  return {
    maxTurns: flags.maxTurns ?? positive(env["CLAUDE_CODE_MAX_TURNS"]),
    maxBudgetUsd: flags.maxBudgetUsd,
    summarizeOnMaxTurns: settings.summarizeOnMaxTurns,
    ...(flags.jsonSchema
      ? {
          structured: {
            schema: flags.jsonSchema,
            maxRetries: positive(env["MAX_STRUCTURED_OUTPUT_RETRIES"]) ?? STRUCTURED_ATTEMPTS,
          },
        }
      : {}),
  };
}

/** How many calls may run at the same time. */
function concurrencyOf({ env }: Snapshot): number {
  return positive(env["CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY"]) ?? CONCURRENCY;
}

function positive(value: string | undefined): number | undefined {
  const number = Number(value);
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}
