// The files of a session's subagents: for each a transcript, and beside it what is known of the agent.

import { join } from "node:path";
import { namesInOwnFolder, readOwnFile } from "@keelson/disk/own-files";
import { replaceOwnFile } from "@keelson/disk/replace-file";
import { isObject, tryParse, type ModelUsage } from "@keelson/protocol";
import { sessionDir } from "../paths.ts";
import { isRunning, processStart } from "@keelson/disk/process-identity";

/** A process, and when it started: systems use process ids again. */
export interface AgentOwner {
  readonly pid: number;
  readonly procStart?: string;
}

export interface AgentMeta extends Partial<AgentOwner> {
  readonly agentType: string;
  readonly isBuiltIn?: boolean;
  readonly description: string;
  /** The call that started it. */
  readonly toolUseId?: string;
  readonly spawnDepth: number;
  /** The subagent that started it, if it was not the session's own agent. */
  readonly parentAgentId?: string;
  /** How it can be addressed besides its id. */
  readonly name?: string;
  readonly requestShape?: "foreground" | "background" | "fork";
  /** Of a fork: no call waits for it. */
  readonly inBackground?: boolean;
  readonly model?: string;
  readonly worktreePath?: string;
  readonly worktreeBranch?: string;
  readonly finished?: boolean;
  readonly status?: "completed" | "failed" | "killed";
  readonly startedAt?: string;
  readonly endedAt?: string;
  /** How long it worked. */
  readonly durationMs?: number;
  /** Replies of the model. */
  readonly turns?: number;
  /** In its last request and the reply. */
  readonly totalTokens?: number;
  readonly toolUses?: number;
  /** Null if the price of a model is unknown. */
  readonly costUSD?: number | null;
  readonly modelUsage?: Readonly<Record<string, ModelUsage>>;
  readonly lastTool?: string;
}

export interface StoredAgent {
  readonly id: string;
  readonly path: string;
  readonly meta: AgentMeta;
}

const ID = /^a[0-9a-f]{16}$/;

export function isAgentId(text: string): boolean {
  return ID.test(text);
}

export function agentPath(dir: string, sessionId: string, agentId: string): string {
  return join(agentsDir(dir, sessionId), `agent-${agentId}.jsonl`);
}

export function agentsDir(dir: string, sessionId: string): string {
  return join(sessionDir(dir, sessionId), "subagents");
}

/** This process. */
export function agentOwner(): AgentOwner {
  const procStart = processStart(process.pid);
  return { pid: process.pid, ...(procStart === undefined ? {} : { procStart }) };
}

/** Whether another process, which has the same session open, works as this agent. */
export function worksElsewhere({ finished, pid, procStart = "" }: AgentMeta): boolean {
  return !finished && pid !== undefined && pid !== process.pid && isRunning({ pid, procStart });
}

/** Replaces the file as a whole, and never writes through a link. `path` is that of the transcript. */
export function writeAgentMeta(path: string, meta: AgentMeta): void {
  replaceOwnFile(metaPath(path), JSON.stringify(meta), { create: 0o700 });
}

/** Undefined if there is none, or it cannot be read. */
export function readAgentMeta(path: string): AgentMeta | undefined {
  try {
    const bytes = readOwnFile(metaPath(path), MAX_META + 1);
    return bytes && bytes.length <= MAX_META ? checkedMeta(tryParse(bytes.toString())) : undefined;
  } catch {
    return undefined;
  }
}

/** The subagents of a session, oldest first where that is known. */
export function storedAgents(dir: string, sessionId: string): readonly StoredAgent[] {
  const agents = agentIds(agentsDir(dir, sessionId)).flatMap((id) => {
    const path = agentPath(dir, sessionId, id);
    const meta = readAgentMeta(path);
    return meta ? [{ id, path, meta }] : [];
  });
  return agents.toSorted((a, b) => (a.meta.startedAt ?? "").localeCompare(b.meta.startedAt ?? ""));
}

/** In the same order on every file system. An agent has a transcript once it said something. */
export function agentIds(folder: string): readonly string[] {
  const ids = namesInOwnFolder(folder).flatMap((name) => /^agent-(.+)\.(?:jsonl|meta\.json)$/.exec(name)?.[1] ?? []);
  return [...new Set(ids)].filter(isAgentId).toSorted();
}

const MAX_META = 1024 * 1024;

export const metaPath = (path: string) => path.replace(/\.jsonl$/, ".meta.json");

const STRINGS = new Set(
  "description toolUseId parentAgentId name model worktreePath worktreeBranch startedAt endedAt lastTool procStart".split(
    " ",
  ),
);
const NUMBERS = new Set("spawnDepth durationMs turns totalTokens toolUses pid".split(" "));

/** Another program may have written it: values of the wrong type are left out. */
function checkedMeta(value: unknown): AgentMeta | undefined {
  if (!isObject(value) || typeof value["agentType"] !== "string") return undefined;
  const kept = Object.entries(value).filter(([key, one]) => {
    if (STRINGS.has(key)) return typeof one === "string";
    if (NUMBERS.has(key)) return isCount(one);
    if (key === "inBackground") return typeof one === "boolean";
    if (key === "costUSD") return one === null || isCount(one);
    return key !== "modelUsage" || (isObject(one) && Object.values(one).every(isModelUsage));
  });
  return { description: "", spawnDepth: 1, ...(Object.fromEntries(kept) as object as { agentType: string }) };
}

const isCount = (value: unknown) => typeof value === "number" && Number.isFinite(value) && value >= 0;

const isModelUsage = (value: unknown) =>
  isObject(value) && Object.entries(value).every(([key, one]) => isCount(one) || (key === "costUSD" && one === null));
