// How conversations are kept within the context window: the rules that settings and variables make, and what a
// compaction needs from the session. Everything else is loaded when a conversation is full.

import type { Snapshot } from "@keelson/config";
import { compactionRules, type CompactionPort, type CompactionWishes, type ModelChoice } from "@keelson/engine";
import type { NewEntry, Usage } from "@keelson/protocol";
import { isVariableOn } from "@keelson/protocol";

export interface CompactionParts {
  snapshot(): Snapshot;
  model(): ModelChoice;
  readonly signal: AbortSignal;
  /** The conversation's own window, if it has one. */
  readonly window?: number | undefined;
  /** No one can ask for a compaction. */
  readonly isUnattended?: boolean;
  charge(usage: Usage, model: string, durationMs: number): void;
  now(): number;
  transcript(): string | undefined;
  leaf(): string | null;
  preface(): string | undefined;
  restore(): Promise<readonly NewEntry[]>;
  summarized?(text: string): Promise<void>;
}

export function compactionPort(parts: CompactionParts): CompactionPort {
  const { snapshot, model, signal, charge, now } = parts;
  return {
    rules: (contextWindow) => compactionRules(contextWindow, wishesOf(snapshot(), parts)),
    ask: async (request) => {
      const { requestSideReply } = await import("../model/side-request.ts");
      return requestSideReply({ model: model(), request, signal, charge, now });
    },
    transcript: () => parts.transcript(),
    leaf: () => parts.leaf(),
    preface: () => parts.preface(),
    restore: () => parts.restore(),
    summarized: async (text) => parts.summarized?.(text),
  };
}

/** Whether `/compact` works. */
export const mayCompact = ({ env }: Pick<Snapshot, "env">): boolean => !isVariableOn(env["DISABLE_COMPACT"]);

export function wishesOf(
  { settings, env, ...rest }: Pick<Snapshot, "settings" | "env">,
  { window: own, isUnattended = false }: Pick<CompactionParts, "window" | "isUnattended"> = {},
): CompactionWishes {
  const may = mayCompact({ env, ...rest });
  return {
    automatic: may && !isVariableOn(env["DISABLE_AUTO_COMPACT"]) && settings.autoCompactEnabled !== false,
    lastResort: may && isUnattended,
    window: own ?? numberIn(env["CLAUDE_CODE_AUTO_COMPACT_WINDOW"]) ?? settings.autoCompactWindow,
    percent: numberIn(env["CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"]),
  };
}

function numberIn(value: string | undefined): number | undefined {
  const number = value?.trim() ? Number(value) : Number.NaN;
  return Number.isFinite(number) && number > 0 ? number : undefined;
}
