// What the panels before a session have in common.

import type { KeyLookup } from "../../widgets/key-lookup.ts";

export interface BeforeOptions {
  readonly keys: KeyLookup;
  /** For screen readers: no rules. */
  readonly plain?: boolean;
}
