// The table of what hooks can do for an agent, whoever it is. What only a session as a whole has is in `session-cases.ts`.

import { AFTER_TOOL_USE } from "./after-tool-use.ts";
import { CHOOSING } from "./choosing.ts";
import { MECHANISMS } from "./mechanisms.ts";
import { PERMISSION } from "./permission.ts";
import { PRE_TOOL_USE } from "./pre-tool-use.ts";
import type { Row } from "../row.ts";
import { STOPPING } from "./stopping.ts";

export const CASES: readonly Row[] = [
  ...PRE_TOOL_USE,
  ...CHOOSING,
  ...AFTER_TOOL_USE,
  ...STOPPING,
  ...PERMISSION,
  ...MECHANISMS,
];
