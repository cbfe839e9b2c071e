// What hooks can do for a session as a whole.

import { checkRows } from "./check-row.ts";
import { mainAgent } from "./drive.ts";
import { SESSION_CASES } from "./rows/session-cases.ts";

checkRows(mainAgent, SESSION_CASES);
