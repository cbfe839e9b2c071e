// The files of a session's subagents: for each a transcript, and beside it what is known of the agent.

import { closeSync, constants, mkdirSync, openSync, readFileSync, readdirSync, renameSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { isObject, tryParse } from "@keelson/protocol";
import { sessionDir } from "../paths.ts";

export interface AgentMeta {
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
  readonly model?: string;
  readonly worktreePath?: string;
  readonly worktreeBranch?: string;
  readonly finished?: boolean;
  readonly status?: "completed" | "failed" | "killed";
  readonly startedAt?: string;
  readonly endedAt?: string;
  readonly totalTokens?: number;
  readonly toolUses?: number;
  readonly costUSD?: number | null;
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

function agentsDir(dir: string, sessionId: string): string {
  return join(sessionDir(dir, sessionId), "subagents");
}

/** Replaces the file as a whole, and never writes through a link. `path` is that of the transcript. */
export function writeAgentMeta(path: string, meta: AgentMeta): void {
  const file = metaPath(path);
  const temporary = `${file}.${crypto.randomUUID()}.tmp`;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const fd = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    writeSync(fd, JSON.stringify(meta));
  } finally {
    closeSync(fd);
  }
  renameSync(temporary, file);
}

/** Undefined if there is none, or it cannot be read. */
export function readAgentMeta(path: string): AgentMeta | undefined {
  try {
    const fd = openSync(metaPath(path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return checkedMeta(tryParse(readFileSync(fd, "utf8")));
    } finally {
      closeSync(fd);
    }
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

function agentIds(folder: string): readonly string[] {
  try {
    return readdirSync(folder).flatMap((name) => {
      const id = name.startsWith("agent-") && name.endsWith(".jsonl") ? name.slice(6, -6) : "";
      return isAgentId(id) ? [id] : [];
    });
  } catch {
    return [];
  }
}

const metaPath = (path: string) => path.replace(/\.jsonl$/, ".meta.json");

/** Another program may have written it. */
function checkedMeta(value: unknown): AgentMeta | undefined {
  if (!isObject(value) || typeof value["agentType"] !== "string") return undefined;
  const { description, spawnDepth } = value;
  return {
    ...value,
    agentType: value["agentType"],
    description: typeof description === "string" ? description : "",
    spawnDepth: typeof spawnDepth === "number" ? spawnDepth : 1,
  };
}
