// What a session is and where it works, for clients that show it: the terminal tells it to the status line's command.

import { gitBranch } from "@keelson/host";
import { done, type ControlHandler } from "../reply.ts";

export const getLiveSessionInfo: ControlHandler = (_request, targets) => {
  const snapshot = targets.snapshot();
  const model = targets.model();
  const { workspace } = targets;
  return done({
    session_id: targets.sessionId,
    title: targets.title() ?? null,
    transcript_path: targets.transcriptPath(),
    cwd: workspace.cwd,
    project_dir: snapshot.cwd,
    git_branch: gitBranch(workspace.cwd) || null,
    added_dirs: workspace.directories.filter((directory) => directory !== workspace.cwd && directory !== snapshot.cwd),
    model: { id: model.profile.id, display_name: model.profile.id },
    effort: model.effort ?? null,
    thinking: model.thinkingTokens !== 0,
    context_window: model.profile.contextWindow,
    output_style: targets.style(),
    permission_mode: targets.mode(),
    agent: snapshot.flags.agent ?? null,
    memory_directory: targets.memoryDirectory() ?? null,
  });
};
