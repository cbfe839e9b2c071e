// The JSON that the command of `statusLine` reads. Field names are those of the contract; what does not apply is absent.

import type { JsonObject, ModelUsage, Usage } from "@keelson/protocol";

export interface StatusFacts {
  readonly sessionId: string;
  readonly sessionName?: string;
  /** The id of the last prompt. */
  readonly promptId?: string;
  readonly transcriptPath: string;
  readonly cwd: string;
  readonly projectDir: string;
  readonly addedDirs: readonly string[];
  /** These two are as the session says them. */
  readonly gitWorktree?: string | undefined;
  readonly repo?: JsonObject | undefined;
  readonly version: string;
  readonly model: { readonly id: string; readonly displayName: string };
  readonly cost: {
    /** Null if a price is not known. */
    readonly totalUsd: number | null;
    readonly totalMs: number;
    readonly apiMs: number;
    readonly linesAdded: number;
    readonly linesRemoved: number;
  };
  readonly models: Readonly<Record<string, ModelUsage>>;
  readonly contextWindow: number;
  /** Of the last reply; absent until there is one. */
  readonly usage?: Usage;
  readonly fastMode: boolean;
  readonly effort?: string;
  readonly thinking: boolean;
  readonly outputStyle: string;
  readonly vimMode?: string;
  readonly agent?: string;
  /** As the session says it. */
  readonly worktree?: JsonObject | undefined;
}

const LONG_CONTEXT = 200_000;

export function statusInput(facts: StatusFacts): JsonObject {
  const { cost, model, usage } = facts;
  return {
    session_id: facts.sessionId,
    ...given("session_name", facts.sessionName),
    ...given("prompt_id", facts.promptId),
    transcript_path: facts.transcriptPath,
    cwd: facts.cwd,
    version: facts.version,
    model: { id: model.id, display_name: model.displayName },
    workspace: {
      current_dir: facts.cwd,
      project_dir: facts.projectDir,
      added_dirs: [...facts.addedDirs],
      ...given("git_worktree", facts.gitWorktree),
      ...given("repo", facts.repo),
    },
    cost: {
      total_cost_usd: cost.totalUsd ?? 0,
      total_duration_ms: Math.round(cost.totalMs),
      total_api_duration_ms: Math.round(cost.apiMs),
      total_lines_added: cost.linesAdded,
      total_lines_removed: cost.linesRemoved,
    },
    context_window: contextWindow(facts),
    exceeds_200k_tokens: usage !== undefined && inputOf(usage) + usage.output_tokens > LONG_CONTEXT,
    fast_mode: facts.fastMode,
    ...given("effort", facts.effort === undefined ? undefined : { level: facts.effort }),
    thinking: { enabled: facts.thinking },
    output_style: { name: facts.outputStyle },
    ...given("vim", facts.vimMode === undefined ? undefined : { mode: facts.vimMode }),
    ...given("agent", facts.agent === undefined ? undefined : { name: facts.agent }),
    ...given("worktree", facts.worktree),
  };
}

function contextWindow({ models, usage, contextWindow: size }: StatusFacts): JsonObject {
  const sum = (key: "inputTokens" | "outputTokens") => Object.values(models).reduce((all, each) => all + each[key], 0);
  const used = usage && size > 0 ? Math.min(100, Math.round((inputOf(usage) / size) * 100)) : null;
  return {
    total_input_tokens: sum("inputTokens"),
    total_output_tokens: sum("outputTokens"),
    context_window_size: size,
    // Null until there is a reply, as in 2.1.325.
    used_percentage: used,
    remaining_percentage: used === null ? null : 100 - used,
    current_usage: usage
      ? {
          input_tokens: usage.input_tokens,
          output_tokens: usage.output_tokens,
          cache_creation_input_tokens: usage.cache_creation_input_tokens ?? 0,
          cache_read_input_tokens: usage.cache_read_input_tokens ?? 0,
        }
      : null,
  };
}

const inputOf = (usage: Usage) =>
  usage.input_tokens + (usage.cache_creation_input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0);

const given = <T extends JsonObject[string]>(key: string, value: T | undefined) =>
  value === undefined ? {} : { [key]: value };
