// Which of the two task lists the model is offered: TodoWrite, or the tools of the shared list. Calls to the other run all the
// same, because models and clients know both.

import type { Snapshot } from "@keelson/config";
import { switchIn, isVariableOn } from "@keelson/protocol";

type Environment = Snapshot["env"];

const SHARED_LIST = ["TaskCreate", "TaskGet", "TaskList", "TaskUpdate"];
const OWN_LIST = ["TodoWrite"];

/** Members of a team share their list, so a session that can have one is offered it. */
function offersSharedList(env: Environment): boolean {
  return switchIn(env["CLAUDE_CODE_ENABLE_TASKS"]) ?? teamsAreOn(env);
}

export function teamsAreOn(env: Environment): boolean {
  return isVariableOn(env["CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS"]);
}

/** Tools that exist and run, but are offered only by name. */
export function otherListTools(env: Environment): readonly string[] {
  return offersSharedList(env) ? OWN_LIST : SHARED_LIST;
}

export function isSharedListTool(name: string): boolean {
  return SHARED_LIST.includes(name);
}

/** Whether the tools of the shared list are needed from the start. */
export function needsSharedList({ env, flags }: Pick<Snapshot, "env" | "flags">): boolean {
  return offersSharedList(env) || SHARED_LIST.some((name) => flags.tools?.includes(name));
}
