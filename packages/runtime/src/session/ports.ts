// The engine's ports for one run of the session: the ports of every agent, plus the session's own streams.

import { whyNotOffered } from "../optional-tools/optional-tools.ts";
import type { Ports } from "@keelson/engine";
import { gitBranch } from "@keelson/host";
import { dequeued } from "@keelson/store";
import type { ListedCommand } from "@keelson/protocol";
import { sessionCommandNames, sessionCommands } from "../commands/registry.ts";
import { compactionPort } from "../compaction/compaction-port.ts";
import type { Controls } from "../controls/controls.ts";
import type { MadeLate } from "../made-late.ts";
import type { SessionHooks } from "../hooks/session-hooks.ts";
import type { McpStage } from "../mcp/open-servers.ts";
import { acceptedTools } from "../machine/pool.ts";
import type { ScheduleStage } from "../schedule/open-schedules.ts";
import type { SkillStage } from "../skills/open-skills.ts";
import type { SharedList } from "../task-list/shared-list.ts";
import type { TeamStage } from "../team/open-team.ts";
import type { AgentStage } from "../agents/open-agents.ts";
import { taskHookFields } from "../tasks/tasks.lazy.ts";
import { agentPorts, type AgentParts } from "./agent-ports.ts";
import { initSignal } from "./facts.ts";
import { deferredOf, toolsOf } from "./state.ts";
import type { PlanMode } from "./plan-mode.ts";

export interface RunParts extends AgentParts {
  readonly hooks: SessionHooks;
  readonly mcp: McpStage;
  readonly plan: PlanMode;
  readonly skills: SkillStage;
  readonly agents: AgentStage;
  /** Absent if the session has no conversation. */
  readonly sharedList?: SharedList;
  readonly schedules: ScheduleStage;
  readonly team?: TeamStage;
}

/** Everything the user can type after a slash. */
export function typedCommands({ storage, skills, mcp }: TypedParts): readonly ListedCommand[] {
  const others = [...skills.skills.clientCommands(), ...(mcp.servers?.commands() ?? [])];
  return sessionCommands(storage.state.snapshot, others);
}

function typedNames({ storage, skills, mcp }: TypedParts) {
  const { commands, skills: ofSkills } = skills.skills.clientNames();
  const prompts = mcp.servers?.commands().map(({ name }) => name) ?? [];
  return { commands: sessionCommandNames(storage.state.snapshot, [...commands, ...prompts]), skills: ofSkills };
}

type TypedParts = Pick<RunParts, "storage" | "skills" | "mcp">;

/** Without `controls`, typed commands are not expanded. */
export function runPorts(parts: RunParts, signal: AbortSignal, controls?: MadeLate<Controls>): Ports {
  const { storage, machine, gate, hooks, mcp, plan, skills, agents, sharedList, schedules } = parts;
  const { options, state, outbox, inbox, cost, folders, runState } = storage;
  const { workspace } = folders;
  const shared = agentPorts(parts, signal);
  const ports: Ports = {
    ...shared,
    // An invoked skill may change it.
    get model() {
      return skills.effects.model;
    },
    system: state.system,
    tools: () => {
      mcp.beforeRequest();
      return toolsOf(state);
    },
    toolsReady: () => mcp.ready(signal),
    deferredTools: () => deferredOf(state),
    toolBetas: () => state.toolBetas,
    acceptedTools: () => {
      const accepted = acceptedTools(state.allTools, state.snapshot);
      return state.agent?.chooseTools(accepted) ?? accepted;
    },
    toolAlias: (name) => state.toolAliases.get(name),
    announced(name) {
      // The call is still being written, which takes the model longer than loading what runs it.
      if (name === "Agent") agents.warm();
      if (name !== "Bash") return;
      void machine.warm();
      void gate.prepareCommands();
    },
    awaitTool: (name) => sharedList?.awaitTool(name) ?? mcp.awaitTool(name, signal),
    whyMissing: (name) => mcp.servers?.whyMissing(name) ?? whyNotOffered(name, state.allTools),
    signal,
    partial: () => outbox.clients.wants("partial"),
    record: (entries) => {
      machine.fileHistory?.beforeRecord(entries);
      for (const entry of entries)
        if (entry.type === "user" && entry.toolUseResult) cost.countLines(entry.toolUseResult);
      const shown = outbox.record(entries);
      parts.team?.recorded(entries);
      return shown;
    },
    show: (message) => outbox.show(message),
    admitted: () => {
      state.branch = gitBranch(workspace.cwd);
      return outbox.show(
        initSignal({
          ...state,
          tools: toolsOf(state),
          deferredTools: deferredOf(state),
          cwd: workspace.cwd,
          mode: gate.ruleBook.mode,
          mcpServers: mcp.servers?.summary() ?? [],
          ...typedNames(parts),
          agents: agents.list(),
          memory: state.instructions?.memory,
        }),
      );
    },
    expand: async (text) => {
      if (!controls || !text.startsWith("/") || state.snapshot.flags.disableSlashCommands) return undefined;
      const [{ expandTyped }, { commandSession }] = await Promise.all([
        import("../commands/expand.ts"),
        import("../commands/session.ts"),
      ]);
      return expandTyped(text, {
        session: commandSession({ controls: controls.get(), ports, gate, state, typed: options.interactive === true }),
        rejectsUnknown: options.rejectsUnknownCommands === true,
        skill: (name, args) => skills.expand(name, args),
        serverPrompt: async () => {
          if (!mcp.servers) return undefined;
          const { promptExpansion } = await import("../mcp/offer/prompts.ts");
          return promptExpansion(text, mcp.servers, signal);
        },
      });
    },
    mentioned: async (text) => {
      if (!text.includes("@")) return [];
      const { mentionsIn } = await import("../mentions/mentions.ts");
      return mentionsIn(text, parts, ports);
    },
    runShellCommand: async (command, id) => {
      const { runTypedCommand } = await import("../commands/shell-mode.ts");
      return runTypedCommand(command, id, { ports, gate, shell: state.snapshot.settings.defaultShell });
    },
    fire: async (event, input) => {
      // Variables set by CwdChanged hooks apply to the next command.
      if (event === "PreToolUse") await hooks.changes.settled(signal);
      cost.countCall(input);
      const left = event === "Stop" ? { ...taskHookFields(machine.tasks), ...schedules.hookFields() } : {};
      const said = await hooks.fire(event, { ...input, ...left }, signal);
      if (!state.goal || !event.startsWith("Stop")) return said;
      return (await import("../goal/after-stop.ts")).withGoal(event, said, storage, signal);
    },
    instructionsFor: (access) => [...(state.instructions?.touched(access) ?? []), ...skills.skills.touched(access)],
    interrupt: () => runState.interrupt(),
    steering: () => {
      mcp.beforeNotices();
      const listings = [skills.skills.takeListing(), agents.takeListing()].filter((listing) => listing !== undefined);
      const problems = state.codeWatch?.takeNotices() ?? [];
      return [...inbox.takeNotices(), ...plan.takeNotices(), ...problems, ...listings];
    },
    queue: {
      next: () => inbox.nextToJoin(),
      take(prompt) {
        if (!inbox.join(prompt)) return false;
        outbox.note(dequeued(storage.place.id, storage.now()));
        if (prompt.uuid !== undefined) outbox.lifecycle(prompt.uuid, "started");
        return true;
      },
    },
    compaction: compactionPort({
      snapshot: () => state.snapshot,
      model: () => ports.model,
      signal,
      charge: shared.charge,
      now: shared.now,
      transcript: () => storage.place.path ?? undefined,
      leaf: () => outbox.leaf,
      preface: () => state.instructions?.reread(),
      restore: async () => (await import("../compaction/restore.ts")).restoreSession(parts, ports),
      summarized: async (text) => (await import("../compaction/summary-hook.ts")).fireSummaryStop(parts, text, signal),
    }),
    charge: (usage, name, durationMs) => {
      state.lastUsage = usage;
      shared.charge(usage, name, durationMs);
    },
  };
  skills.begin(ports);
  return ports;
}
