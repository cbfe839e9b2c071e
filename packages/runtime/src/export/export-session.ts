// keelson export and /export: the conversation of a session as a document, piece by piece. A transcript of any size is
// never held in memory.

import { dirname } from "node:path";
import { agentIds, agentPath, agentsDir, namedSession, openHistory, readAgentMeta } from "@keelson/store/history";
import type { AgentMeta, History } from "@keelson/store/history";
import type { ExportedAgent, DocumentWriter, ExportFormat, ExportedSession, WriterOptions } from "./document.ts";
import { htmlWriter } from "./html.ts";
import { itemMaker } from "./items.ts";
import { jsonWriter } from "./json.ts";
import { markdownWriter } from "./markdown.ts";
import { pageWriter } from "./page.ts";

export type { ExportFormat } from "./document.ts";

export interface SessionDocument {
  readonly id: string;
  /** Damaged lines of the transcript and of those of its subagents. */
  readonly damagedLines: number;
  pieces(): Generator<string>;
}

export interface ExportOptions extends WriterOptions {
  readonly format: ExportFormat;
}

type Place = Parameters<typeof namedSession>[0];

/** By its ID, the start of its ID or its title; without one, the most recent session. A message if there is none. */
export function findExport(
  place: Place,
  wanted: string | undefined,
  options: ExportOptions,
): SessionDocument | { readonly message: string } {
  const found = namedSession(place, wanted);
  return "message" in found ? found : openExport(found, options);
}

/** Throws if the transcript cannot be read. */
export function openExport(
  { id, path }: { readonly id: string; readonly path: string },
  options: ExportOptions,
): SessionDocument {
  const history = openHistory(path);
  const agents = agentsOf(dirname(path), id);
  const all = [history, ...agents.map((agent) => agent.history)];
  const sum = (count: (one: History) => number) => all.reduce((total, one) => total + count(one), 0);
  const losses = { damagedLines: sum(({ damaged }) => damaged), leftOut: sum(({ leftOut }) => leftOut) };
  return {
    id,
    damagedLines: losses.damagedLines,
    *pieces() {
      const writer = WRITERS[options.format](options);
      yield writer.begin(
        factsOf(id, history),
        agents.map(({ facts }) => facts),
      );
      yield* itemsIn(history, writer);
      for (const { facts, history: own } of agents) {
        yield writer.agent(facts);
        yield* itemsIn(own, writer);
      }
      yield writer.end(losses);
    },
  };
}

const WRITERS: Readonly<Record<ExportFormat, (options: WriterOptions) => DocumentWriter>> = {
  markdown: markdownWriter,
  html: (options) => (options.page ? pageWriter(options.page, options) : htmlWriter(options)),
  json: jsonWriter,
};

function* itemsIn(history: History, writer: DocumentWriter): Generator<string> {
  const itemsOf = itemMaker();
  for (const entry of history.entries()) for (const item of itemsOf(entry)) yield writer.item(item);
}

function factsOf(id: string, history: History): ExportedSession {
  const { title, cwd, gitBranch, version, firstAt: startedAt, lastAt: endedAt, models, costUsd } = history;
  return withoutGaps({ id, title, cwd, gitBranch, version, startedAt, endedAt, models, costUsd }) as ExportedSession;
}

interface StoredConversation {
  readonly facts: ExportedAgent;
  readonly history: History;
}

/** Oldest first. An agent without a transcript, or whose transcript cannot be read, said nothing. */
function agentsOf(dir: string, id: string): readonly StoredConversation[] {
  const found = agentIds(agentsDir(dir, id)).flatMap((agent): readonly StoredConversation[] => {
    const path = agentPath(dir, id, agent);
    try {
      return [{ facts: agentFacts(agent, readAgentMeta(path)), history: openHistory(path) }];
    } catch {
      return [];
    }
  });
  return found.toSorted((a, b) => (a.history.firstAt ?? "").localeCompare(b.history.firstAt ?? ""));
}

function agentFacts(id: string, meta: AgentMeta | undefined): ExportedAgent {
  const { agentType: type = "unknown", description = "", toolUseId: callId, parentAgentId } = meta ?? {};
  const { status, durationMs, costUSD: costUsd } = meta ?? {};
  return withoutGaps({ id, type, description, callId, parentAgentId, status, durationMs, costUsd }) as ExportedAgent;
}

const withoutGaps = (value: object) =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined));
