// The flags of `keelson trust`.

import type { Flag } from "../../args/flags.ts";
import { jsonFlag, withShared } from "../group-flags.ts";

/** Flags that only `keelson trust` has. */
export const TRUST_OWN_FLAGS: readonly Flag[] = [
  { name: "revoke", value: { kind: "none" }, group: "Other", help: "Stop trusting the folder" },
  { name: "list", value: { kind: "none" }, group: "Other", help: "List the trusted folders" },
  jsonFlag("list: print JSON"),
];

export const TRUST_FLAGS = withShared(TRUST_OWN_FLAGS, "help");
