// What a session is and where it works, for clients that show it: the terminal tells it to the status line's command.

import type { Snapshot } from "@keelson/config";
import { gitBranch } from "@keelson/host";
import { repositoryPlace } from "@keelson/host/git-place";
import type { ResolvedModel } from "@keelson/model";
import { PERMISSION_MODES, type PersistedWorktree } from "@keelson/protocol";
import { done, type ControlHandler } from "../reply.ts";

export const getLiveSessionInfo: ControlHandler<"get_session_info"> = async (request, targets) => {
  const snapshot = targets.snapshot();
  const model = targets.model();
  const { workspace } = targets;
  const { worktree, origin } = repositoryPlace(workspace.cwd);
  const entered = targets.worktree();
  return done({
    session_id: targets.sessionId,
    title: targets.title() ?? null,
    transcript_path: targets.transcriptPath(),
    cwd: workspace.cwd,
    project_dir: snapshot.cwd,
    git_branch: gitBranch(workspace.cwd) || null,
    git_worktree: worktree ?? null,
    repo: origin ? { ...origin } : null,
    worktree: entered ? worktreeInfo(entered) : null,
    added_dirs: workspace.directories.filter((directory) => directory !== workspace.cwd && directory !== snapshot.cwd),
    model: { id: model.profile.id, display_name: model.profile.id },
    ...(request.provider === true ? { provider: await providerOf(model, snapshot) } : {}),
    effort: model.effort ?? null,
    thinking: model.thinkingTokens !== 0,
    context_window: model.profile.contextWindow,
    output_style: targets.style(),
    permission_mode: targets.mode(),
    permission_modes: PERMISSION_MODES.filter((mode) => targets.permissions.refusal(mode) === undefined),
    agent: snapshot.flags.agent ?? null,
    memory_directory: targets.memoryDirectory() ?? null,
  });
};

async function providerOf({ profile, providerName: name = "anthropic" }: ResolvedModel, snapshot: Snapshot) {
  const { providerLogins, providerStates } = await import("@keelson/model/choice");
  const { modelOptions } = await import("../../model/view.ts");
  const options = modelOptions(snapshot);
  const { title = name, takesKey = false } = providerLogins(options).find(({ provider }) => provider === name) ?? {};
  const { address = null, credentials = null } = providerStates(name, options)[0] ?? {};
  return { model: profile.id, title, address, credentials, takesKey };
}

/** As the command of a status line gets it. */
function worktreeInfo({ worktreeName, worktreePath, worktreeBranch, originalCwd }: PersistedWorktree) {
  const originalBranch = gitBranch(originalCwd);
  return {
    name: worktreeName,
    path: worktreePath,
    ...(worktreeBranch === undefined ? {} : { branch: worktreeBranch }),
    original_cwd: originalCwd,
    ...(originalBranch === "" ? {} : { original_branch: originalBranch }),
  };
}
