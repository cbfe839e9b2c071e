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
  const checked = checkEntry(raw, { expand, fromClient });
  const names = [...expand.withheld].map((name) => `\${${name}}`);
  const refused = names.length > 0 ? [`${names.join(", ")} not expanded`] : [];
  if (trusted || "problem" in checked || !("headersHelper" in checked.config)) return { checked, refused };
  const { headersHelper: _, ...config } = checked.config;
  return { checked: { ...checked, config }, refused: [...refused, "headersHelper ignored"] };
}
