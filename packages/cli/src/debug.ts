// The debug log: which categories to log, and where. Loaded only with --debug.

import { resolve } from "node:path";
import { printableSentence } from "@keelson/protocol";
import type { Snapshot } from "@keelson/config";
import { hideSecrets } from "@keelson/runtime/hide-secrets";
import { eitherOf } from "./args/nearest.ts";
import type { Debug, DebugCategory } from "./open.ts";
import { printWarning, type ProcessIO } from "./process/process-io.ts";

export const CATEGORIES: readonly DebugCategory[] = [
  "api",
  "config",
  "hooks",
  "instructions",
  "lsp",
  "mcp",
  "permissions",
  "session",
  "telemetry",
  "tools",
];

export interface DebugChoice {
  /** `api,hooks` logs these, `!api` all others. Absent: log everything. */
  readonly filter?: string | undefined;
  /** Absent: log to standard error. */
  readonly file?: string | undefined;
}

export function openDebug({ filter, file: named }: DebugChoice, io: ProcessIO, now = () => new Date()): Debug {
  const wanted = wantedBy(filter ?? "");
  // Despite its name this variable holds a file, as in the reference.
  const file = named ?? (io.env["CLAUDE_CODE_DEBUG_LOGS_DIR"] || undefined);
  const write = file === undefined ? (line: string) => io.error(line) : toFile(resolve(io.cwd, file), io);
  const hide = hideSecrets(io.env);
  for (const name of wanted.unknown) {
    printWarning(io, `unknown --debug category "${name}"; use ${eitherOf(CATEGORIES)}`);
  }
  return (category, text) => {
    if (wanted.has(category)) write(`${now().toISOString()} [${category}] ${oneLine(hide(text()))}`);
  };
}

/** The settings of a session in one line. */
export function describeSnapshot({ mode, trusted, sources, warnings, rules, hooks }: Snapshot): string {
  const read = sources.filter(({ stamp }) => stamp !== "absent").map(({ path }) => path);
  const counts = `${rules.length} rules, ${hooks.active.length} hooks, ${warnings.length} warnings`;
  const files = read.join(", ") || "no files";
  return `Mode ${mode}, folder ${trusted ? "trusted" : "not trusted"}, ${counts}, settings from ${files}`;
}

function wantedBy(filter: string): { has(category: DebugCategory): boolean; unknown: readonly string[] } {
  const words = filter
    .split(",")
    .map((word) => word.trim().toLowerCase())
    .filter((word) => word !== "");
  const without = words.filter((word) => word.startsWith("!")).map((word) => word.slice(1));
  const only = words.filter((word) => !word.startsWith("!"));
  return {
    has: (category) => (only.length === 0 || only.includes(category)) && !without.includes(category),
    unknown: [...only, ...without].filter((word) => !CATEGORIES.includes(word as DebugCategory)),
  };
}

/** A log that cannot be written does not stop the program. */
function toFile(path: string, io: ProcessIO): (line: string) => void {
  let broken = false;
  return (line) => {
    if (broken) return;
    try {
      io.append(path, `${line}\n`);
    } catch (error) {
      broken = true;
      printWarning(io, `cannot write the debug log (${(error as Error).message}); continuing without it`);
    }
  };
}

// A name must not be able to start a new log line or send commands to a terminal.
const oneLine = printableSentence;
