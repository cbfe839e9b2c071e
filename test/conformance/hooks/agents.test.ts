// What hooks can do for an agent, on every stage there is.

import { CASES } from "./cases.ts";
import { checkRows } from "./check-row.ts";
import { mainAgent } from "./drive.ts";
import { STAGES } from "./stages.ts";

for (const stage of [mainAgent, ...STAGES]) checkRows(stage, CASES);
