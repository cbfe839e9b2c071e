// All rows.

import { COMMANDS } from "./cases/commands.ts";
import { ENDING } from "./cases/ending.ts";
import { FAILURES } from "./cases/failures.ts";
import { FLOW } from "./cases/flow.ts";
import { HOOKS } from "./cases/hooks.ts";
import { MCP } from "./cases/mcp.ts";
import { MESSAGES } from "./cases/messages.ts";
import { PERMISSIONS } from "./cases/permissions.ts";
import { PROMPTS } from "./cases/prompts.ts";
import { REQUESTS } from "./cases/requests.ts";
import { RESULTS } from "./cases/results.ts";
import { SESSIONS } from "./cases/sessions.ts";
import { SKILLS } from "./cases/skills.ts";
import { START } from "./cases/start.ts";
import type { Scenario } from "./scenario.ts";

export const SCENARIOS: readonly Scenario[] = [
  ...START,
  ...PROMPTS,
  ...COMMANDS,
  ...SKILLS,
  ...MESSAGES,
  ...RESULTS,
  ...FAILURES,
  ...REQUESTS,
  ...PERMISSIONS,
  ...HOOKS,
  ...MCP,
  ...FLOW,
  ...SESSIONS,
  ...ENDING,
];
