// Gives control requests access to the parts of a session.

import { existsSync } from "node:fs";
import type { Snapshot } from "@keelson/config";
import type { Search } from "@keelson/engine";
import { NO_USAGE, type PromptMessage } from "@keelson/protocol";
import { customTitle, dequeued } from "@keelson/store";
import { typedCommands, type RunParts } from "../session/ports.ts";
import type { StoredSessions } from "@keelson/store/stored-sessions";
import type { Storage } from "../session/storage.ts";
import type { ControlTargets } from "./targets.ts";
import { fireConfigChange, firePostModelSwitch, firePreModelSwitch } from "../hooks/change-events.ts";
import { modelRates } from "../model/model-choice.ts";
import { serversFromInitialize } from "../mcp/servers/server-config.ts";
import { adoptChangedSettings } from "../session/life.ts";
import { reloadStyle } from "../session/refresh.ts";
import { enqueuePrompt } from "../stream/enqueue.ts";
import type { FileHistory } from "../machine/file-history.ts";
import type { MentionIndex } from "../mentions/file-index.ts";
import { toolsOf } from "../session/state.ts";
import { FIRST_CLIENT } from "../stream/clients.ts";

const writtenToCache = (tokens: number, ttl: "5m" | "1h") => ({
  ...NO_USAGE,
  cache_creation_input_tokens: tokens,
  ...(ttl === "1h" ? { cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: tokens } } : {}),
});

export function controlTargets(parts: RunParts, adopt: (next: Snapshot) => void): ControlTargets {
  const { storage, machine, gate, hooks, mcp, plan, skills, agents } = parts;
  const { state, place, folders, outbox, inbox, cost, runState, notify, now, newId } = storage;
  const { ruleBook } = gate;
  let fileIndex: Promise<MentionIndex> | undefined;
  let stored: Promise<StoredSessions> | undefined;
  const show: ControlTargets["show"] = (signal) => outbox.show(signal);
  return {
    get sessionId() {
      return place.id;
    },
    send: (message) => outbox.clients.push(message),
    show,
    newId,
    now,
    get startedMs() {
      return storage.startedMs();
    },
    snapshot: () => state.snapshot,
    adopt,
    mayAdopt: (next) => fireConfigChange(hooks.fire, state.snapshot, next),
    adoptChangedSettings: () => adoptChangedSettings(parts),
    model: () => state.model,
    setModel: async (name) => {
      const next = await storage.chooseModel(name, { typed: true });
      const to = next.profile.id;
      const contextTokens = state.conversation.account.tokens(0);
      const cacheTtl = next.cache.ttl;
      const change = {
        from: state.model.profile.id,
        to,
        requested: name,
        source: "sdk",
        cacheTtl,
        contextTokens,
        cacheWriteUsd: modelRates(state.snapshot).costOf(to, writtenToCache(contextTokens, cacheTtl)),
        ownPrice: to in (state.snapshot.settings.modelPrices ?? {}),
      };
      const refusal = await firePreModelSwitch(hooks.fire, change);
      if (refusal !== undefined) throw new Error(refusal);
      state.model = next;
      for (const text of await firePostModelSwitch(hooks.fire, change)) notify(text);
      return next.profile.id;
    },
    providerMemory: storage.providerMemory,
    tuneModel: (next) => (state.model = next),
    mode: () => ruleBook.mode,
    permissions: {
      setMode: (mode) => ruleBook.setMode(mode),
      get rules() {
        return ruleBook.ownRules;
      },
      mayRead: (path) => ruleBook.mayRead(path),
      refusal: (mode) => ruleBook.refusal(mode),
      warm: () => gate.warm(),
      accept: (updates) => gate.accept(updates),
    },
    style: () => state.style?.name ?? "default",
    reloadStyle: () => reloadStyle(storage),
    tools: () => toolsOf(state),
    system: () => state.system,
    conversation: () => state.conversation.messages,
    knownTokens: () => state.conversation.account.known,
    transcriptPath: () => place.path,
    transcript: () => (place.path !== null && existsSync(place.path) ? place.path : undefined),
    messages: storage.messages,
    memoryFiles: () => (state.instructions?.files() ?? []).map(({ path, kind, text }) => ({ path, type: kind, text })),
    memoryDirectory: () => state.instructions?.memory,
    addMemory: async (text, scope) => {
      const { addMemory, memoryFile } = await import("../instructions/add-memory.ts");
      const places = { root: state.root, configDir: state.snapshot.configDir };
      const finished = machine.beginSettingsWrite([memoryFile(scope, places)]);
      try {
        return addMemory(text, scope, places);
      } finally {
        finished();
      }
    },
    cost,
    lastUsage: () => state.lastUsage,
    workspace: folders.workspace,
    search: machine.tools.search,
    originals: () => machine.fileHistory?.originals() ?? [],
    fileIndex: () => (fileIndex ??= openFileIndex(machine.tools.search, now, () => state.snapshot.settings)),
    directory: storage.options.directory,
    storedSessions: () => (stored ??= openStoredSessions(state.snapshot)),
    seen: machine.tools.seen,
    tasks: machine.tasks,
    addDirectories: (paths, source) => {
      folders.add(paths, source);
      if (source === "slash_command") notify(`The user added working directories: ${paths.join(", ")}`);
    },
    changeDirectory: (path) => {
      if (!folders.workspace.move(path)) return false;
      notify(`The user changed the working directory to ${path}`);
      return true;
    },
    hooks: () => hooks.registered(),
    setClientHooks: (client, registrations) => hooks.setClient(client, registrations),
    bring: (client, options) => {
      if (options.agents !== undefined) agents.setClient(client, options.agents);
      const servers = serversFromInitialize(options).map((server) => ({ ...server, client }));
      if (servers.length === 0) return [];
      mcp.load().add(servers);
      const isTaken = (name: string) => (mcp.load().get(name)?.definition.client ?? FIRST_CLIENT) !== client;
      return servers.map(({ name }) => name).filter(isTaken);
    },
    shapeSession: (options) => {
      state.toolAliases = new Map(Object.entries(options.toolAliases ?? {}));
      if (options.joinQueuedPrompts !== undefined) inbox.joins = options.joinQueuedPrompts;
      plan.setWorkflow(options.planModeInstructions);
      if (options.skills !== undefined) skills.skills.limitTo(options.skills);
    },
    mcp,
    languageServers: () => state.codeWatch?.status() ?? [],
    commands: () => typedCommands(parts),
    skills: () => skills.skills.clientSkills(),
    toldSkills: () => skills.skills.told(),
    agents: () => agents.list(),
    reloadSkills: () => skills.skills.reload(),
    queueShellCommand: (command, { uuid, toolUseId }) =>
      enqueuePrompt(
        {
          type: "user",
          message: { role: "user", content: `!${command}` },
          parent_tool_use_id: null,
          uuid,
          byUser: true,
          shell: { command, toolUseId },
        },
        storage,
      ),
    takesPrompts: () => inbox.takesPrompts,
    queued: () => inbox.ids,
    cancelQueued: (uuid) => cancelled(uuid === undefined ? inbox.clear() : inbox.take(uuid), storage),
    worktree: () => state.worktree,
    goal: () => state.goal,
    setGoal: (goal) => (state.goal = goal),
    isRunning: () => runState.running,
    interrupt: () => runState.interrupt(),
    clear: async (prompt) => (await import("../conversation/clear.ts")).clearConversation(parts, prompt),
    rewindConversation: async (prompt) =>
      (await import("../conversation/rewind.ts")).rewindConversation(storage, prompt),
    summarizeAtPrompt: async (prompt, options) =>
      (await import("../conversation/summarize.ts")).summarizeAtPrompt(parts, prompt, options),
    title: () => state.title,
    rename: (title) => {
      state.title = title;
      const entry = customTitle(place.id, title);
      if (entry !== undefined && place.path !== null && existsSync(place.path)) outbox.note(entry);
      void show({ type: "system", subtype: "session_title_changed", title });
    },
    ...(machine.fileHistory ? { rewind: rewindThroughGate(machine.fileHistory, parts) } : {}),
  };
}

function rewindThroughGate(history: FileHistory, parts: RunParts): NonNullable<ControlTargets["rewind"]> {
  return async (prompt, how) => {
    const { openRestoreGate } = await import("../gate/restore.ts");
    const refusal = await openRestoreGate(parts);
    return history.rewind(prompt, { dryRun: how.dryRun, refusal: (restore) => refusal(restore, how) });
  };
}

const LIST_MS = 10_000;
const LIST_BYTES = 64 * 1024 * 1024;

async function openStoredSessions({ configDir, cwd, env }: Snapshot): Promise<StoredSessions> {
  const { StoredSessions } = await import("@keelson/store/stored-sessions");
  return new StoredSessions({ configDir, cwd, dirName: env["CLAUDE_CODE_PROJECT_DIR_NAME"] });
}

async function openFileIndex(
  search: Search,
  now: () => number,
  settings: () => Pick<Snapshot["settings"], "respectGitignore">,
): Promise<MentionIndex> {
  const { MentionIndex } = await import("../mentions/file-index.ts");
  return new MentionIndex({
    list: async (cwd) => {
      const all = settings().respectGitignore === false ? ["--no-ignore"] : [];
      const { stdout } = await search.run(["--no-config", "--files", "--hidden", ...all, "--glob", "!.git"], {
        cwd,
        signal: AbortSignal.timeout(LIST_MS),
        timeoutMs: LIST_MS,
        maxBytes: LIST_BYTES,
      });
      return stdout.split("\n").filter((line) => line !== "");
    },
    now,
  });
}

/** Records in the transcript that the prompts left the queue, and tells their sender. */
function cancelled(prompts: readonly PromptMessage[], { outbox, place: { id }, now }: Storage): readonly string[] {
  return prompts.flatMap(({ uuid }) => {
    outbox.note(dequeued(id, now()));
    if (uuid === undefined) return [];
    outbox.lifecycle(uuid, "cancelled");
    return [uuid];
  });
}
