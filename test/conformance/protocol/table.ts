// All rows.

import { MESSAGES } from "./cases/messages.ts";
import { PROMPTS } from "./cases/prompts.ts";
import { REQUESTS } from "./cases/requests.ts";
import { RESULTS } from "./cases/results.ts";
import { START } from "./cases/start.ts";
import type { Scenario } from "./scenario.ts";

export const SCENARIOS: readonly Scenario[] = [...START, ...PROMPTS, ...MESSAGES, ...RESULTS, ...REQUESTS];
