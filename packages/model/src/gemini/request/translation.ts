// What the translation of a conversation depends on.

import type { ModelTraits } from "../../dialect.ts";
import type { FittedNames } from "../../fit/names.ts";

export interface Translation {
  /** The state of calls is kept under this name: signatures of one service mean nothing to another. */
  readonly api: string;
  readonly model: string;
  readonly traits: ModelTraits;
  readonly names: FittedNames;
  /** Calls must have a signature: a real one, or the documented value that skips the check. */
  readonly signed: boolean;
  /** Whether the signature of a call may be sent back. */
  readonly trusts: (callId: string) => boolean;
  /** Results may contain pictures. */
  readonly mediaInResults: boolean;
  /** The server knows ids of calls. */
  readonly ids: boolean;
}
