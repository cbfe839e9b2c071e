// A session as a document: what every format is given. A format writes text piece by piece and keeps none of it.

import type { Item } from "./items.ts";

export type ExportFormat = "markdown" | "html" | "json";

export interface ExportedSession {
  readonly id: string;
  readonly title?: string;
  readonly cwd?: string;
  readonly gitBranch?: string;
  readonly version?: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
  readonly models: readonly string[];
  /** Null if a price is unknown. */
  readonly costUsd?: number | null;
}

export interface ExportedAgent {
  readonly id: string;
  readonly type: string;
  readonly description: string;
  /** The call that started it. */
  readonly callId?: string;
  readonly parentAgentId?: string;
  readonly status?: string;
  readonly durationMs?: number;
  readonly costUsd?: number | null;
}

/** What could not be shown. */
export interface Losses {
  /** Lines of the transcript that are damaged. */
  readonly damagedLines: number;
  /** Entries of branches that the conversation went back from. */
  readonly leftOut: number;
}

/** Writes one document. The parts are called in this order: begin, items, (agent, items)…, end. */
export interface DocumentWriter {
  begin(session: ExportedSession, agents: readonly ExportedAgent[]): string;
  item(item: Item): string;
  agent(agent: ExportedAgent): string;
  end(losses: Losses): string;
}

export interface WriterOptions {
  /** Long inputs and results are not cut. */
  readonly full?: boolean;
  /** What draws HTML. Without it, the page has no script, and its text is plain. */
  readonly page?: { readonly script: string; readonly style: string };
  /** Markdown without what is known of the session as a whole. */
  readonly bare?: boolean;
}

/** `3 damaged lines were skipped`, one sentence for each kind of loss. */
export function lossTexts({ damagedLines, leftOut }: Losses): readonly string[] {
  const counted = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;
  return [
    ...(damagedLines > 0
      ? [
          `${counted(damagedLines, "damaged line of the transcript was", "damaged lines of the transcript were")} skipped`,
        ]
      : []),
    ...(leftOut > 0
      ? [`${counted(leftOut, "entry is", "entries are")} left out: the conversation was rewound past them`]
      : []),
  ];
}

/** The text up to a number of characters, and a note of how many are missing. */
export function shortened(text: string, most: number): { readonly text: string; readonly note?: string } {
  if (text.length <= most) return { text };
  // Not in the middle of a character of two units.
  const end = /[\uD800-\uDBFF]/.test(text[most - 1]!) ? most - 1 : most;
  return { text: text.slice(0, end), note: `${(text.length - end).toLocaleString("en-US")} more characters` };
}

/** Deeper values are written on one line: indenting them takes the square of their depth. */
const DEEPEST = 100;

/** The input of a call. */
export function callText(input: unknown): string {
  const compact = JSON.stringify(input) ?? "null";
  let depth = 0;
  // Brackets in texts count too, which costs at most the indenting.
  for (const [sign] of compact.matchAll(/[[{}\]]/g)) {
    depth += sign === "[" || sign === "{" ? 1 : -1;
    if (depth > DEEPEST) return compact;
  }
  return JSON.stringify(input, null, 2) ?? "null";
}

/** The longest run of backticks. */
export function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

export function compactionText(item: Extract<Item, { kind: "compaction" }>): string {
  const { what, trigger, tokensBefore, tokensAfter } = item;
  const tokens = [
    ...(tokensBefore === undefined ? [] : [`${tokensBefore.toLocaleString("en-US")} tokens before`]),
    ...(tokensAfter === undefined ? [] : [`${tokensAfter.toLocaleString("en-US")} after`]),
  ];
  const subject = what === "results" ? "Old tool results were removed from the context" : "Conversation compacted";
  return `${subject}${trigger === undefined ? "" : ` (${trigger})`}${tokens.length === 0 ? "" : `: ${tokens.join(", ")}`}`;
}

export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1_000)} s`;
}

/** Facts about the session in words, for the head of a document. */
export function factRows({
  id,
  cwd,
  gitBranch,
  models,
  startedAt,
  endedAt,
  costUsd,
}: ExportedSession): readonly (readonly [string, string])[] {
  const row = (name: string, value: string | undefined) => (value === undefined ? [] : [[name, value] as const]);
  return [
    ...row("Session", id),
    ...row("Folder", cwd),
    ...row("Branch", gitBranch),
    ...row(models.length === 1 ? "Model" : "Models", models.join(", ") || undefined),
    ...row("Started", startedAt),
    ...row("Last entry", endedAt),
    ...row("Cost", costUsd === undefined ? undefined : costUsd === null ? "unknown" : `$${costUsd.toFixed(4)}`),
  ];
}

/**
 * Text with characters that a terminal or viewer would act on spelled out: escape sequences, and characters that change
 * the direction of text or are invisible line breaks.
 */
export function spelledOut(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(ACTED_ON, (sign) => {
    const code = sign.codePointAt(0)!;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return code === 0x7f ? "\u2421" : `\\u{${code.toString(16)}}`;
  });
}

// oxlint-disable-next-line no-control-regex
const ACTED_ON = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;
