// Checks an entry and expands its variables; one of an untrusted folder gets no credentials and no `headersHelper`. Pure.

import { isObject } from "@keelson/protocol";
import type { Environment } from "../../env/env.ts";
import { checkEntry, type CheckedEntry } from "./entry.ts";
import { expander, withheldFrom } from "./expand.ts";

export interface LimitedEntryOptions {
  readonly env: Environment;
  readonly fromClient: boolean;
  /** Whether the author of the entry is trusted. */
  readonly trusted: boolean;
}

export interface LimitedEntry {
  readonly checked: CheckedEntry;
  /** What an untrusted entry asked for and did not get: `${GITHUB_TOKEN} not expanded`. */
  readonly refused: readonly string[];
}

export function checkLimitedEntry(raw: unknown, { env, fromClient, trusted }: LimitedEntryOptions): LimitedEntry {
  const { type, command } = isObject(raw) ? raw : {};
  const kind = type === "stdio" || (type === undefined && command !== undefined) ? "program" : "url";
  const expand = expander(env, trusted ? undefined : withheldFrom(kind));
  const checked = withUnset(checkEntry(raw, { expand, fromClient }), expand.unset);
  const names = [...expand.withheld].map((name) => `\${${name}}`);
  const refused = names.length > 0 ? [`${names.join(", ")} not expanded`] : [];
  if (trusted || "problem" in checked || !("headersHelper" in checked.config)) return { checked, refused };
  const { headersHelper: _, ...config } = checked.config;
  return { checked: { ...checked, config }, refused: [...refused, "headersHelper ignored"] };
}

/** Options of a plugin are asked for elsewhere. */
function withUnset(checked: CheckedEntry, unset: ReadonlySet<string>): CheckedEntry {
  const names = [...unset].filter((name) => !name.startsWith("user_config."));
  if (names.length === 0) return checked;
  const written = names.map((name) => `\${${name}}`).join(", ");
  const note = `${written} ${names.length === 1 ? "is" : "are"} not set; set ${names.length === 1 ? "it" : "them"}, or write a default: \${${names[0]}:-value}`;
  return "problem" in checked
    ? { problem: `${checked.problem}; ${note}` }
    : { ...checked, notes: [...checked.notes, note] };
}
