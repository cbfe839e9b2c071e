// Opens a session in stages: storage, rules, machine, plan, gate, MCP servers, language servers, hooks, skills, team, task list,
// worktrees, schedules, agents, then the conversation and the tools (`fillState`), then the session (`openLive`). Each stage gets
// some of those before it and knows nothing of those after it. What one needs of a later one is handed to it here, once that is
// there: `useHooks`, `useAgents`, `onPrompts`, `onClear`, `useEnd` and `serve`. Nothing else connects them.

import { withEnvironment } from "@keelson/config";
import { Conversation, type Tool } from "@keelson/engine";
import { isVariableOn, type Entry } from "@keelson/protocol";
import type * as Past from "@keelson/store/past";
import { interactiveTools, worktreeTools } from "@keelson/tools";
import type * as ControlsModule from "../controls/controls.ts";
import type * as SessionControls from "../controls/session-controls.ts";
import type * as LogOpened from "../observe/log-opened.ts";
import { openGate, openRuleBook } from "../gate/open-gate.ts";
import { approverOf, openHooks } from "../hooks/open-hooks.ts";
import { openInstructions } from "../instructions/instructions.ts";
import { madeLate } from "../made-late.ts";
import { openMachine } from "../machine/machine.ts";
import { openAgents } from "../agents/open-agents.ts";
import { Ownership } from "../owner/ownership.ts";
import { openLsp, type LspStage } from "../lsp/open-lsp.ts";
import { builtInTools, offeredTools } from "../machine/pool.ts";
import { optionalTools } from "../optional-tools/optional-tools.ts";
import { openServers } from "../mcp/open-servers.ts";
import { openSchedules } from "../schedule/open-schedules.ts";
import { openSkills } from "../skills/open-skills.ts";
import { openTeamStage } from "../team/open-team.ts";
import { openSharedList } from "../task-list/shared-list.ts";
import { adopt, ownSystemPrompt, readGit, refresh, showCommands, startSession, type Stages } from "./life.ts";
import { chosenStyle } from "./facts.ts";
import type * as IdleNotice from "../hooks/idle-notice.ts";
import { limitsOf } from "./agent-ports.ts";
import type { MainStage } from "../agents/definition/main-agent.ts";
import type { OpenOptions } from "./open-options.ts";
import { OpenError } from "./place.ts";
import { openPlan, type PlanMode } from "./plan-mode.ts";
import { runPorts, type RunParts } from "./ports.ts";
import { LiveSession } from "./session.ts";
import { openStorage } from "./storage.ts";
import { webTools } from "../web/open-web.ts";
import { openWorktrees, type WorktreeStage } from "../worktrees/open-worktrees.ts";

/** Rejects with an OpenError, which says so if the session is open already. */
export async function openSession(options: OpenOptions): Promise<LiveSession> {
  const owner = new Ownership(options);
  try {
    return await openStages(options, owner);
  } catch (error) {
    owner.stopListening();
    owner.release();
    throw error;
  }
}

async function openStages(options: OpenOptions, owner: Ownership): Promise<LiveSession> {
  const storage = await openStorage(options, owner);
  const ruleBook = openRuleBook(storage);
  const machine = await openMachine(storage, ruleBook);
  const plan = openPlan(storage, ruleBook);
  const gate = openGate(storage, machine, ruleBook, plan);
  const mcp = openServers(storage, machine, ruleBook);
  const lsp = openLsp(storage, machine, gate);
  const { hooks, permit, permitFor, hookPortsFor } = openHooks(storage, machine, gate, mcp);
  mcp.useHooks(hooks.fire);
  const skills = await openSkills({ storage, machine, gate, hooks, permit });
  const { state, place } = storage;
  const { fire } = hooks;
  const team = await openTeamStage({
    storage,
    ruleBook,
    fire,
    person: async () => (await approverOf(storage, mcp))(),
    registered: hooks.registered,
    programs: () => machine.governing.programs,
    setClientHooks: hooks.setClient,
  });
  const { warn } = options;
  const sharedList = openSharedList({ state, sessionId: () => place.id, team: () => team.current(), fire, warn });
  const worktrees = openWorktrees({
    storage,
    gate,
    hooks,
    confine: machine.confine,
    loadInstructions: () => loadInstructions({ storage, gate, hooks }),
  });
  const schedules = openSchedules(storage, machine, ruleBook);
  const agents = openAgents({
    storage,
    machine,
    gate,
    mcp,
    hooks,
    permit,
    permitFor,
    hookPortsFor,
    skills,
    worktrees,
    team,
    schedules,
  });
  skills.useAgents(agents.runSkill);
  const parts = {
    storage,
    machine,
    gate,
    mcp,
    lsp,
    hooks,
    permit,
    plan,
    skills,
    agents,
    sharedList,
    schedules,
    worktrees,
    team,
  };
  mcp.onPrompts(() => void showCommands(parts));
  await fillState(parts);
  if (state.snapshot.trustBasis?.inherited === false)
    (await import("@keelson/config/first-use")).recordFirstUse(state.snapshot);
  const { flags, settings } = state.snapshot;
  const name = flags.agent ?? storage.place.loaded?.agent ?? settings.agent;
  const main = name ? await (await import("../agents/definition/main-agent.ts")).openMain(name, parts) : undefined;
  return openLive(parts, main);
}

type Parts = Stages & RunParts & { readonly worktrees: WorktreeStage; readonly lsp: LspStage };

/** Loads the instructions, then creates the conversation, tools and system prompt that depend on them. */
async function fillState(parts: Parts): Promise<void> {
  const { storage, machine, plan, skills, sharedList, worktrees, team } = parts;
  const { options, state } = storage;
  const { snapshot } = state;
  await worktrees.start();
  await beginConversation(parts);
  storage.onClear(() => beginConversation(parts));
  const own = snapshot.flags.disableSlashCommands ? [] : [skills.tool];
  state.allTools = [
    ...builtInTools(machine.tasks, snapshot.env, machine.monitors, {
      todos: state.todos,
      draw: machine.drawPages,
      settings: snapshot.settings,
    }),
    parts.agents.tool,
    parts.agents.messageTool,
    ...parts.schedules.tools,
    ...worktreeTools(worktrees.keeper),
    ...webTools(parts),
    ...own,
    ...(await parts.lsp.tools()),
    ...(await offeredInteractiveTools(options, plan)),
    ...((await team?.tools()) ?? []),
    ...(await optionalTools(parts)),
  ];
  const { tools: named } = snapshot.flags;
  if (named)
    (await import("../optional-tools/unknown-tools.ts")).warnOfUnknownTools(named, state.allTools, options.warn);
  await sharedList?.begin();
  state.tools = state.builtInTools = offeredTools(state.allTools, snapshot);
  state.style = chosenStyle(snapshot, options.warn);
  state.system = state.ownSystem = ownSystemPrompt(state);
}

/** The conversation of an earlier session, or an empty one. Both begin with the instructions. */
async function beginConversation(parts: Parts): Promise<void> {
  const { state, place } = parts.storage;
  state.instructions = await loadInstructions(parts);
  state.conversation = await Conversation.of(place.loaded?.entries ?? [], state.instructions.preface);
}

/** The instructions of the folder where the session works. */
function loadInstructions({ storage, gate, hooks }: Pick<Parts, "storage" | "gate" | "hooks">) {
  const { options, state, now } = storage;
  return openInstructions(
    { ...state.snapshot, cwd: state.root },
    {
      date: new Date(now()).toISOString().slice(0, 10),
      gate: { ready: () => gate.warm(), mayRead: (path) => gate.ruleBook.mayRead(path) },
      report: (event, input) => hooks.changes.report(event, input),
      warn: options.warn,
    },
  );
}

/** Looking up what governs the session takes up to 10 ms: not while a fast answer may arrive. */
const GOVERNING_AFTER_MS = 80;

/** The last stage: the loop and the control requests. */
function openLive(parts: Parts, main: MainStage | undefined): LiveSession {
  const { storage, machine, gate, mcp, hooks, skills, agents, schedules, worktrees, team } = parts;
  const { options, place, state, requests, closeTranscript, observed } = storage;
  const { debug } = options;
  // `require`, not `import()`: some requests are answered before anything else happens.
  const targets = () => {
    const { controlTargets } = require("../controls/session-controls.ts") as typeof SessionControls;
    return controlTargets(parts, (next) => adopt(next, parts));
  };
  const controls = madeLate(() => {
    const { Controls } = require("../controls/controls.ts") as typeof ControlsModule;
    return new Controls(targets, requests, () => void session.close("interrupt"));
  });
  const disposed = new AbortController();
  const opened = Date.now();
  let preparing: NodeJS.Timeout | undefined;
  const waiting = options.interactive
    ? (require("../hooks/idle-notice.ts") as typeof IdleNotice).idleNotice(hooks)
    : undefined;
  const session = new LiveSession({
    ...storage,
    gate,
    controls,
    conversation: () => state.conversation,
    announce: state.model.announce,
    limits: () => limitsOf(state.snapshot),
    start: () => startSession(parts),
    initialPrompt: main?.initialPrompt,
    opening: (prompt) => main?.opening(prompt) ?? prompt,
    refresh: async (signal, prompt) => {
      waiting?.stop();
      worktrees.beforeRun();
      await main?.beforeRun(signal);
      await refresh(parts, signal, prompt);
    },
    idle: () => {
      mcp.connect();
      readGit(storage, machine, disposed.signal);
      schedules.idle();
      team?.idle();
    },
    ports: (signal) => {
      if (main?.problem !== undefined) throw new OpenError(main.problem, "setup");
      const ports = runPorts(parts, signal, controls);
      observed?.runStarts();
      return observed ? observed.ports(ports) : ports;
    },
    ran: (end) => {
      observed?.runEnded(end);
      waiting?.wait();
    },
    agentText: isVariableOn(state.snapshot.env["CLAUDE_CODE_FORWARD_SUBAGENT_TEXT"]),
    forked: () => (options.session.fork && place.path !== null ? readAll(place.path) : undefined),
    dropClient: (client) => {
      hooks.setClient(client, []);
      agents.setClient(client, undefined);
      mcp.servers?.removeOf(client);
    },
    setEnvironment: (variables) => (state.snapshot = withEnvironment(state.snapshot, variables)),
    title: () => state.title,
    prepare() {
      storage.sealTranscript();
      // A start takes only names from a large folder. Not while a call is written: one before it may write a skill.
      void skills.skills.all;
      clearTimeout(preparing);
      preparing = setTimeout(() => gate.prepare(), GOVERNING_AFTER_MS);
      preparing.unref();
    },
    isBusy: () => storage.runState.running || storage.inbox.goesOn || schedules.hasJobs(),
    stopAgents: async () => void (await Promise.all([agents.close(), team?.close()])),
    end: async (reason) => {
      await worktrees.beforeEnd();
      await hooks.close(reason === "interrupt" ? "prompt_input_exit" : "other");
    },
    dispose: async () => {
      disposed.abort();
      clearTimeout(preparing);
      waiting?.stop();
      schedules.close();
      await agents.close();
      await team?.close();
      await controls.made?.finish();
      await Promise.all([mcp.close(), parts.lsp.close()]);
      skills.close();
      await machine.fileHistory?.close();
      await gate.saved();
      await machine.close();
      if (await machine.ranCommands()) {
        const { holdNested } = await import("@keelson/config/nested");
        for (const note of holdNested(storage.folders.workspace.directories, opened, state.snapshot))
          options.warn(note);
      }
      await worktrees.close();
      closeTranscript();
      await observed?.close();
    },
  });
  // A person takes longer to type than git to answer.
  if (!options.interactive) readGit(storage, machine, disposed.signal);
  team?.useEnd((reason) => void session.close(reason));
  storage.owner.serve(session);
  if (debug) (require("../observe/log-opened.ts") as typeof LogOpened).logOpened(storage, debug);
  return session;
}

/** For a client that mirrors a forked session: it needs the entries that were copied first. */
function readAll(path: string): { readonly path: string; readonly entries: readonly Entry[] } {
  return { path, entries: [...(require("@keelson/store/past") as typeof Past).readEntries(path)] };
}

/** Tools that ask the user are offered only if the client answers `can_use_tool` (conformance: protocol, permissions). */
async function offeredInteractiveTools(
  { answers, snapshot, teammate }: OpenOptions,
  plan: PlanMode,
): Promise<readonly Tool[]> {
  // A teammate asks its lead, and only about its plan.
  if (teammate ? !teammate.planModeRequired : !answers.permissions) return [];
  const preview = snapshot.env["CLAUDE_CODE_QUESTION_PREVIEW_FORMAT"] === "html" ? "html" : "markdown";
  return interactiveTools({ plan, preview });
}
