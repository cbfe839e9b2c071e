// What the web tools need of a session.

import type { Machine } from "../machine/machine.ts";
import type { Storage } from "../session/storage.ts";

export interface WebParts {
  readonly storage: Storage;
  readonly machine: Pick<Machine, "spill">;
}
