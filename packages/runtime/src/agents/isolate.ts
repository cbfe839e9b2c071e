import { ToolError } from "@keelson/engine";
import type { Worktree } from "./child/child.ts";
import type { AgentStages } from "./spawner.ts";

export async function isolateAgent(_id: string, _stages: AgentStages): Promise<Worktree> {
  throw new ToolError("not yet");
}
