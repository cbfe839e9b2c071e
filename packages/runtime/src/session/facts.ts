// What a session says about itself: to the model in the system prompt, to clients in `system/init`.

import { readFileSync } from "node:fs";
import type * as Os from "node:os";
import type { Snapshot } from "@keelson/config";
import {
  renderDynamicSections,
  renderSystemPrompt,
  type GitState,
  type PromptFacts,
  type PromptStyle,
  type Tool,
} from "@keelson/engine";
import { chooseShell } from "@keelson/host";
import type { ResolvedModel } from "@keelson/model";
import {
  isVariableOn,
  COMPATIBLE_VERSION,
  VERSION,
  type PermissionMode,
  type SystemMessages,
  type SystemSignal,
} from "@keelson/protocol";
import type * as Styles from "../prompt/styles.ts";

interface SessionFacts {
  /** Where the session works. */
  readonly root: string;
  readonly model: ResolvedModel;
  readonly branch: string;
  readonly tools: readonly Tool[];
  readonly style: PromptStyle | undefined;
  readonly memory?: string;
  readonly git: GitState | undefined;
  readonly front: { readonly isAnswered: boolean; readonly isWatched: boolean };
  readonly agent: { readonly prompt: string; readonly memory?: string } | undefined;
}

export function systemPrompt(snapshot: Snapshot, facts: SessionFacts): string[] {
  return renderSystemPrompt(promptFacts(snapshot, facts));
}

/** What the system prompt leaves out with `excludeDynamicSections`. */
export function dynamicSections(snapshot: Snapshot, facts: SessionFacts): string {
  return renderDynamicSections(promptFacts(snapshot, facts));
}

/** Whether the model gets the state of the repository. */
export function showsGit({ settings, env, flags }: Snapshot): boolean {
  const isOff = settings.includeGitInstructions === false || isVariableOn(env["CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS"]);
  return !isOff && flags.systemPrompt === undefined;
}

/** The one that runs commands, which need not be the user's own. */
export const shellOf = (env: Snapshot["env"], cwd: string) => chooseShell({ env, cwd }).program.path;

function promptFacts({ flags, directories, env, cwd }: Snapshot, facts: SessionFacts): PromptFacts {
  return {
    cwd: facts.root,
    directories,
    platform: process.platform,
    osVersion: osRelease(),
    shell: shellOf(env, cwd),
    gitBranch: facts.branch,
    model: facts.model.profile.id,
    ...facts.front,
    toolNames: facts.tools.map(({ name }) => name),
    // An agent with a memory of its own keeps its notes there.
    memory: facts.agent?.memory === undefined ? facts.memory : undefined,
    agent: facts.agent?.prompt,
    replacement: flags.systemPrompt,
    appended: flags.appendSystemPrompt,
    bare: flags.bare,
    style: facts.style,
    git: facts.git,
    excludeDynamic: flags.excludeDynamicSections,
  };
}

/** The output style that the settings name; undefined for the default. Loaded only if they name one. */
export function chosenStyle(snapshot: Snapshot, warn: (text: string) => void): PromptStyle | undefined {
  const { outputStyle: name } = snapshot.settings;
  if (name === undefined || name === "" || name === "default") return undefined;
  return (require("../prompt/styles.ts") as typeof Styles).styleNamed(name, snapshot, warn);
}

export function initSignal(facts: {
  snapshot: Snapshot;
  model: ResolvedModel;
  tools: readonly Tool[];
  deferredTools: readonly Tool[];
  cwd: string;
  mode: PermissionMode;
  memory?: string;
  mcpServers: SystemMessages["init"]["mcp_servers"];
  commands: readonly string[];
  skills: readonly string[];
  agents: readonly { readonly name: string }[];
  style: PromptStyle | undefined;
}): SystemSignal<"init"> {
  return {
    type: "system",
    subtype: "init",
    cwd: facts.cwd,
    tools: toolNames([...facts.tools, ...facts.deferredTools]),
    mcp_servers: facts.mcpServers,
    model: facts.model.profile.id,
    permissionMode: facts.mode,
    slash_commands: facts.commands,
    apiKeySource: facts.model.apiKeySource,
    claude_code_version: COMPATIBLE_VERSION,
    output_style: facts.style?.name ?? "default",
    agents: facts.agents.map(({ name }) => name),
    skills: facts.skills,
    ...describePlugins(facts.snapshot),
    ...(facts.memory === undefined ? {} : { memory_paths: { auto: `${facts.memory}/` } }),
    ...(facts.snapshot.flags.betas?.length ? { betas: facts.snapshot.flags.betas } : {}),
    original_cwd: facts.snapshot.cwd,
    additional_directories: facts.snapshot.directories,
    keelson_version: VERSION,
  };
}

/** Those of servers come last. A client need not know which of them the model has to load first. */
function toolNames(tools: readonly Tool[]): readonly string[] {
  const names = tools.map(({ name }) => name);
  const isMcp = (name: string) => name.startsWith("mcp__");
  const own = names.filter((name) => !isMcp(name)).toSorted();
  return [...own.map((name) => (name === "Agent" ? "Task" : name)), ...names.filter(isMcp)];
}

/** Plugins as clients see them. Errors only if there are any. */
export function describePlugins({ plugins: { active, unused } }: Pick<Snapshot, "plugins">) {
  const plugins = active.map(({ name, root, id, version }) => ({
    name,
    path: root,
    source: id,
    ...(version === undefined ? {} : { version }),
  }));
  const errors = unused
    .filter(({ kind }) => kind !== "disabled")
    .map(({ id, kind, why, root }) => ({
      plugin: id,
      type: kind,
      message: why,
      ...(root === undefined ? {} : { path: root }),
    }));
  return { plugins, ...(errors.length === 0 ? {} : { plugin_errors: errors }) };
}

/** Loading `node:os` takes half a millisecond. */
function osRelease(): string {
  try {
    return readFileSync("/proc/sys/kernel/osrelease", "utf8").trim();
  } catch {
    return (require("node:os") as typeof Os).release();
  }
}
