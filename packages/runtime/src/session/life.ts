// The session outside its runs: fires the start hooks, and between runs applies changed settings and MCP servers.

import { changed, type Snapshot } from "@keelson/config";
import { renderGitState } from "@keelson/engine";
import { withoutReminderTags, type PromptMessage } from "@keelson/protocol";
import type { AgentStage } from "../agents/open-agents.ts";
import type { Gate } from "../gate/gate.ts";
import { fireSessionStart, type SessionStartFacts } from "../hooks/session-events.ts";
import type { SessionHooks } from "../hooks/session-hooks.ts";
import type { Machine } from "../machine/machine.ts";
import { offeredTools } from "../machine/pool.ts";
import type { McpStage } from "../mcp/open-servers.ts";
import type { SkillStage } from "../skills/open-skills.ts";
import { chosenStyle, dynamicSections, showsGit, systemPrompt } from "./facts.ts";
import { typedCommands } from "./ports.ts";
import type { SessionState } from "./state.ts";
import type { Storage } from "./storage.ts";

/** The stages of a session that are open. */
export interface Stages {
  readonly storage: Storage;
  readonly machine: Machine;
  readonly gate: Gate;
  readonly mcp: McpStage;
  readonly hooks: SessionHooks;
  readonly skills: SkillStage;
  readonly agents: AgentStage;
}

/** Runs the start hooks, before anything else happens in the session. */
export async function startSession({ storage, hooks, mcp, machine, agents }: Stages): Promise<void> {
  const { options, place, outbox } = storage;
  mcp.start();
  const { loaded } = place;
  if (loaded?.title !== undefined) {
    void outbox.show({ type: "system", subtype: "session_title_changed", title: loaded.title });
  }
  const source = !loaded ? "startup" : options.session.fork ? "fork" : "resume";
  if (source === "resume" && place.path !== null) {
    const { reportLostAgents } = await import("../agents/lost-agents.ts");
    reportLostAgents({ storage, machine, agents });
  }
  await runStartHooks({ storage, hooks }, { source, setup: options.setup });
  hooks.changes.start();
}

/** What the hooks say reaches the model before the next prompt. */
export async function runStartHooks(
  { storage, hooks }: Pick<Stages, "storage" | "hooks">,
  how: Pick<SessionStartFacts, "source" | "setup">,
): Promise<void> {
  const { state, inbox } = storage;
  const { context, initialUserMessage } = await fireSessionStart(hooks.fire, {
    ...how,
    model: state.model.profile.id,
    title: state.title,
  });
  for (const text of context) storage.notify(text);
  if (initialUserMessage !== undefined) inbox.pushFirst(prompt(initialUserMessage));
}

/** Call between runs: applies settings and instructions that changed on disk, and the client's MCP servers. */
export async function refresh(stages: Stages, signal: AbortSignal, prompt?: PromptMessage): Promise<void> {
  const { storage, machine, gate, mcp, hooks, skills, agents } = stages;
  const { state, place, cost } = storage;
  // A rule accepted in the last run is in the settings before they are read again.
  await gate.saved();
  await machine.undoChanges();
  const changes = state.instructions?.changes();
  if (changes !== undefined) storage.notify(changes);
  await adoptChangedSettings(stages);
  if (skills.skills.areChanged() && (await mayReloadSkills(hooks.fire)) && skills.skills.refresh()) {
    await showCommands(stages);
  }
  if (agents.areChanged()) agents.reload();
  const { taskBudget } = state.snapshot.flags;
  if (taskBudget !== undefined) {
    const { taskBudgetNotice } = await import("../model/task-budget.ts");
    storage.notify(taskBudgetNotice(taskBudget, cost.modelUsage, place.loaded?.costState?.modelUsage));
  }
  await gitKnown(state, signal);
  settlePrompt(storage);
  // Clients read in `init` which servers there are; a person who types a command does not wait for them.
  const { needsNoModel } = storage.options.interactive ? await import("../commands/needs-no-model.ts") : {};
  await mcp.beforeRun(signal, { waits: !needsNoModel?.(prompt) });
}

/** Tells clients that there are other commands than before. */
export async function showCommands(parts: Parameters<typeof typedCommands>[0]): Promise<void> {
  const commands = typedCommands(parts);
  await parts.storage.outbox.show({ type: "system", subtype: "commands_changed", commands });
}

/** Applies settings that changed on disk, unless a hook refuses. */
export async function adoptChangedSettings(stages: Stages): Promise<void> {
  if (changed(stages.storage.state.snapshot)) await (await import("./refresh.ts")).adoptSettings(stages);
}

/** The system prompt of the first run stays, so only what is known by then gets into it. Later, a reminder tells it. */
function settlePrompt({ state, notify }: Storage): void {
  const { told, snapshot, git } = state;
  // A client may have replaced the system prompt in the meantime.
  const isNews = git !== undefined && !told.git && showsGit(snapshot);
  if (isNews && told.prompt) notify(renderGitState(git, { isNow: true }));
  else if (isNews) state.system = state.ownSystem = ownSystemPrompt(state);
  const isElsewhere = snapshot.flags.excludeDynamicSections === true && !told.situation;
  const situation = isElsewhere ? dynamicSections(snapshot, promptState(state)) : "";
  if (situation !== "") notify(situation);
  state.told = { ...told, git: told.git || isNews, prompt: true, situation: told.situation || isElsewhere };
}

/** The longest that the first request waits for the state of the repository. Most answer in a tenth of this. */
const MOST_FOR_GIT_MS = 250;

/** A request without it would make the model ask git itself, which takes a turn. */
async function gitKnown({ gitKnown: known, git, told }: SessionState, signal: AbortSignal): Promise<void> {
  if (known === undefined || git !== undefined || told.prompt || signal.aborted) return;
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, MOST_FOR_GIT_MS);
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await Promise.race([known, limit]);
  clearTimeout(timer);
}

/** The terminal draws its first frame before git is started: it would take the processor from it. */
const BEFORE_GIT_MS = 50;

/** Asks git for the state of the repository, once, as soon as the session opens. It is added to the next prompt. */
export function readGit(
  { state, options, notify }: Storage,
  { confine }: Pick<Machine, "confine">,
  signal: AbortSignal,
): void {
  if (state.told.gitAsked || state.branch === "" || !showsGit(state.snapshot)) return;
  state.told = { ...state.told, gitAsked: true };
  const ask = async () => {
    if (signal.aborted) return;
    const { gitStateOf } = await import("../prompt/git.ts");
    const git = await gitStateOf({ ...state.snapshot, cwd: state.root }, { signal, confine });
    if (signal.aborted || git === undefined) return;
    state.git = git;
    // Too late for the first request.
    if (!state.told.prompt || state.told.git || !showsGit(state.snapshot)) return;
    state.told = { ...state.told, git: true };
    notify(renderGitState(git, { isNow: true }));
  };
  const wait = options.interactive ? new Promise((resolve) => setTimeout(resolve, BEFORE_GIT_MS).unref()) : undefined;
  state.gitKnown = wait ? wait.then(ask) : ask();
}

/** Switches to a new snapshot: rules, directories, hooks, tools and system prompt. MCP tools return with the next run. */
export function adopt(given: Snapshot, stages: Omit<Stages, "machine">): void {
  const { storage, gate, mcp, hooks, skills, agents } = stages;
  const { state, folders, options } = storage;
  const { snapshot } = state;
  const next = state.agent?.adapt(given) ?? given;
  const sameFlags = next.origin.flags === snapshot.origin.flags;
  const sameStyle = next.settings.outputStyle === snapshot.settings.outputStyle;
  folders.remove(snapshot.directories.filter((directory) => !next.directories.includes(directory)));
  folders.add(next.directories);
  state.snapshot = next;
  gate.ruleBook.replaceRules(mcp.rules(next));
  mcp.configure(next);
  hooks.replace(next.hooks.active);
  skills.skills.reload();
  agents.reload();
  state.tools = state.builtInTools = offeredTools(state.allTools, next);
  if (!sameStyle) state.style = chosenStyle(next, options.warn);
  if (!sameFlags || !sameStyle) state.system = state.ownSystem = ownSystemPrompt(state);
}

async function mayReloadSkills(fire: SessionHooks["fire"]): Promise<boolean> {
  return (await fire("ConfigChange", { source: "skills" })).verdict !== "deny";
}

export function ownSystemPrompt(state: SessionState): readonly string[] {
  return systemPrompt(state.snapshot, promptState(state));
}

const promptState = (state: SessionState) => ({ ...state, memory: state.instructions?.memory });

function prompt(text: string): PromptMessage {
  return { type: "user", message: { role: "user", content: withoutReminderTags(text) }, parent_tool_use_id: null };
}
