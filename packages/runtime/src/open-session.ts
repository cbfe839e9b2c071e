// Opens a session: finds its place, joins the ports to the engine, and hands back the one interface front ends know.

import { existsSync } from "node:fs";
import { writeRules, type Snapshot } from "@keelson/config";
import { Conversation, findTool, reminder, type Ports } from "@keelson/engine";
import { files, gitBranch, realPathOf } from "@keelson/host";
import type { PermissionUpdate, PromptMessage, Session, Usage } from "@keelson/protocol";
import { OFFLINE_ID, type ResolvedModel } from "@keelson/model";
import { nullTranscript, openTranscript } from "@keelson/store";
import type { AskPerson } from "./ask.ts";
import type { Classifier } from "./classifier.ts";
import { Controls } from "./controls.ts";
import { Cost } from "./cost.ts";
import { initSignal, systemPrompt } from "./facts.ts";
import { openFileHistory } from "./file-history.ts";
import { Gate } from "./gate.ts";
import { openSessionHooks, type SessionHooks } from "./hooks/session-hooks.ts";
import {
  mayChangeModel,
  mayChangeSettings,
  tellModelChange,
  tellStart,
  type ModelChange,
} from "./hooks/session-events.ts";
import { Inbox } from "./inbox.ts";
import { openInstructions } from "./instructions.ts";
import { concurrencyOf, limitsOf } from "./limits.ts";
import { modeRefusal } from "./mode-refusal.ts";
import { checkBudget, chooseModel, tariffOf } from "./model-choice.ts";
import { Outbox } from "./outbox.ts";
import { choosePlace, type SessionChoice } from "./place.ts";
import { builtInTools, offeredTools } from "./pool.ts";
import { refreshed } from "./refresh.ts";
import { replayOf } from "./replay.ts";
import { openSandbox } from "./sandbox.ts";
import { LiveSession } from "./session.ts";
import { taskWatchers } from "./tasks.ts";
import { openWorld } from "./world.ts";

/** Programs inside our own executable; they are put on disk when they are first needed. */
export interface ShippedPrograms {
  readonly ripgrep?: string;
  /** Helper of the sandbox on Linux. */
  readonly seccomp?: string;
}

export interface OpenOptions {
  readonly snapshot: Snapshot;
  /** How the program was entered: `sdk-cli`, `sdk-ts` … */
  readonly entrypoint: string;
  readonly session: SessionChoice;
  /** Somebody wants every delta. */
  readonly partial: boolean;
  /** Echo accepted prompts. */
  readonly replayPrompts: boolean;
  /** Hooks at work are part of the stream. */
  readonly hookEvents?: boolean;
  /** Which Setup hooks run first, if any. */
  readonly setup?: "init" | "maintenance";
  /** A client will answer `can_use_tool`. */
  readonly stdioPermissions: boolean;
  readonly programs?: ShippedPrograms;
  /** Something people should know that is no part of the stream. */
  warn(text: string): void;
}

export async function openSession(options: OpenOptions): Promise<Session & { readonly announce?: string }> {
  const { entrypoint } = options;
  let { snapshot } = options;
  const { cwd, configDir, env } = snapshot;
  const newId = () => crypto.randomUUID();
  const now = () => Date.now();

  const dirName = env["CLAUDE_CODE_PROJECT_DIR_NAME"];
  const place = choosePlace(options.session, { configDir, cwd, dirName }, newId);
  const { id, loaded } = place;
  let model = await chooseModel(snapshot, { sessionId: id, entrypoint });
  const tariff = tariffOf(snapshot);
  checkBudget(snapshot, tariff, model.profile.id);

  const transcript = place.path
    ? openTranscript({
        path: place.path,
        sticky: loaded?.sticky,
        onFailure: (error) =>
          options.warn(`The transcript cannot be written (${error.message}); the session goes on without it`),
      })
    : nullTranscript();
  let workingDirectories = (): readonly string[] => [cwd, ...snapshot.directories];
  const { sandbox, state: sandboxState } = await openSandbox(snapshot, {
    programs: options.programs,
    directories: () => workingDirectories(),
    warn: options.warn,
  });
  const inbox = new Inbox();
  let branch = gitBranch(cwd);
  const outbox = new Outbox({
    sessionId: id,
    entrypoint,
    leaf: loaded?.leafUuid ?? null,
    replayPrompts: options.replayPrompts,
    append: (entries) => void transcript.append(entries),
    cwd: () => world.tools.workspace.cwd,
    gitBranch: () => branch,
    now,
    newId,
  });
  const show: Ports["show"] = (signal) => outbox.show(signal);
  const notify = (text: string) => inbox.notify(reminder(text, newId()), { wakes: false });
  const fire: SessionHooks["fire"] = (...firing) => sessionHooks.fire(...firing);
  const world = openWorld({
    snapshot,
    place,
    entrypoint,
    ripgrep: options.programs?.ripgrep,
    sandbox,
    gate: {
      rules: () => gate.rules,
      mayRead: (path) => gate.mayRead(path),
      mayChangeGuarded: (call) => gate.mayChangeGuarded(call),
      warn: options.warn,
    },
    moved: (from, to) => surroundings.moved(from, to),
    watchers: (tasks) =>
      taskWatchers({
        show,
        newId,
        running: () =>
          tasks()
            .list()
            .filter(({ status }) => status === "running"),
        notify: (entry, how) => inbox.notify(entry, how),
      }),
  });
  const { workspace } = world.tools;
  workingDirectories = () => workspace.directories;
  let kept = Promise.resolve();
  const gate = new Gate({
    mode: snapshot.mode,
    rules: snapshot.rules,
    home: snapshot.home,
    refusal: (mode) => modeRefusal(mode, snapshot, process.getuid?.()),
    readable: world.readable,
    memory: () => (instructions.memory === undefined ? undefined : realPathOf(instructions.memory)),
    sandbox: sandboxState,
    isShielded: (from) => world.hidesDenied(from),
    cwd: () => workspace.cwd,
    directories: () => workspace.directories,
    addDirectories: (paths) => {
      world.addDirectories(paths);
      surroundings.directoriesAdded(paths, "permission_update");
    },
    removeDirectories: (paths) => world.removeDirectories(paths),
    managedOnly: () => snapshot.settings["allowManagedPermissionRulesOnly"] === true,
    classify: async (decision, mode, request, signal) =>
      mode === "auto" ? (await classifier()).judge(decision, mode, request, signal) : decision,
    keep: (updates) => {
      kept = kept.then(async () => world.wroteSettings(await keepRules(updates, snapshot, options.warn)));
    },
    show,
    fire,
  });
  const cost = new Cost(tariff, loaded?.costState);
  let lastUsage: Usage | null = null;
  const fileHistory = await openFileHistory(snapshot, {
    place,
    note: (entry) => outbox.note(entry),
    warn: options.warn,
    wasOwnCommand: (mtimeMs) => world.tools.seen.wasOwnCommand(mtimeMs),
    now,
  });
  const controls = new Controls({
    sessionId: id,
    send: (message) => outbox.send(message),
    show,
    newId,
    now,
    startedMs: now(),
    snapshot: () => snapshot,
    adopt: (next) => adopt(next),
    model: () => model,
    setModel: async (name) => {
      const next = await chooseModel(snapshot, { model: name, sessionId: id, entrypoint });
      const change = changeOf(model, next, name);
      const refusal = await mayChangeModel(fire, change);
      if (refusal !== undefined) throw new Error(refusal);
      model = next;
      for (const text of await tellModelChange(fire, change)) notify(text);
      return model.profile.id;
    },
    tuneModel: (next) => (model = next),
    mode: () => gate.mode,
    gate,
    tools: () => tools,
    system: () => system,
    conversation: () => conversation.messages,
    memoryFiles: () => instructions.files().map(({ path, kind, text }) => ({ path, type: kind, text })),
    cost,
    lastUsage: () => lastUsage,
    workspace,
    search: world.tools.search,
    seen: world.tools.seen,
    tasks: world.tasks,
    addDirectories: (paths) => {
      world.addDirectories(paths);
      surroundings.directoriesAdded(paths, "register_repo_root");
    },
    hooks: () => hooks.registered,
    setClientHooks: (registrations) => hooks.setClient(registrations),
    queued: () => inbox.ids,
    cancelQueued: (uuid) => cancelled(uuid === undefined ? inbox.clear() : inbox.take(uuid)),
    isRunning: () => session.running,
    title: () => title(),
    rename: (text) => {
      hookTitle = text;
      if (place.path !== null && existsSync(place.path)) outbox.note({ type: "custom-title", customTitle: text, sessionId: id });
      void show({ type: "system", subtype: "session_title_changed", title: text });
    },
    ...(fileHistory ? { rewind: fileHistory.rewind } : {}),
  });
  const cancelled = (prompts: readonly PromptMessage[]) =>
    prompts.flatMap(({ uuid }) => {
      outbox.note({ type: "queue-operation", operation: "dequeue", timestamp: new Date(now()).toISOString(), sessionId: id });
      if (uuid === undefined) return [];
      void outbox.send({ type: "command_lifecycle", command_uuid: uuid, state: "cancelled", uuid: newId(), session_id: id });
      return [uuid];
    });
  let hookTitle: string | undefined;
  const title = () => hookTitle ?? options.session.name ?? loaded?.title;
  const { hooks, surroundings, ...sessionHooks } = openSessionHooks({
    place,
    entrypoint,
    snapshot: () => snapshot,
    includeEvents: options.hookEvents ?? false,
    cwd: () => workspace.cwd,
    mode: () => gate.mode,
    effort: () => model.effort,
    env,
    callOf: async (name, input) => {
      const context = ports(new AbortController().signal).context({ type: "tool_use", id: newId(), name, input });
      return {
        tool: name,
        input,
        access: await findTool(tools, name)?.access(input, context),
        cwd: workspace.cwd,
        home: snapshot.home,
        directories: workspace.directories,
      };
    },
    callClient: (callbackId, input, signal) => controls.callHook(callbackId, input, signal),
    model: async (name) => {
      if (model.profile.id === OFFLINE_ID) return model;
      return chooseModel(snapshot, { model: name ?? "haiku", sessionId: id, entrypoint });
    },
    ports: (signal) => ({
      ...ports(signal),
      fire: (event, input) => hooks.fire(event, input, { signal, withoutModels: true }),
    }),
    entitle: (text) => (hookTitle = text),
    charge: (usage, name, durationMs) => cost.charge(usage, name, durationMs),
    notify: (entry, how) => inbox.notify(entry, how),
    show,
    warn: options.warn,
    now,
    newId,
  });
  const instructions = await openInstructions(snapshot, {
    date: new Date(now()).toISOString().slice(0, 10),
    gate: { ready: () => gate.warm(), mayRead: (path) => gate.mayRead(path) },
    tell: (event, input) => surroundings.tell(event, input),
    warn: options.warn,
  });
  const conversation = Conversation.of(loaded?.entries ?? [], instructions.preface);
  let opened: Promise<Classifier> | undefined;
  const classifier = () =>
    (opened ??= import("./classifier.ts").then(
      (module) =>
        new module.Classifier({
          rules: () => snapshot.settings.autoMode ?? {},
          model: () => model,
          conversation: () => conversation.messages,
          directories: () => workspace.directories,
          cwd: () => workspace.cwd,
          charge: (usage, name, durationMs) => cost.charge(usage, name, durationMs),
          show,
          now,
        }),
    ));
  const allTools = builtInTools(world.tasks);
  let tools = offeredTools(allTools, snapshot);
  const renderSystem = () => systemPrompt(snapshot, { model, branch, tools, memory: instructions.memory });
  let system = renderSystem();
  /** Takes a snapshot over whole. The prompt stays as it is while the flags do: the provider's cache depends on it. */
  const adopt = (next: Snapshot) => {
    const sameFlags = next.origin.flags === snapshot.origin.flags;
    world.removeDirectories(snapshot.directories);
    world.addDirectories(next.directories);
    snapshot = next;
    gate.replaceRules(next.rules);
    hooks.replace(next.hooks.active);
    tools = offeredTools(allTools, next);
    if (!sameFlags) system = renderSystem();
  };

  const askClient =
    (signal: AbortSignal): AskPerson =>
    (body, withdrawn) =>
      controls.ask(body, AbortSignal.any([signal, withdrawn]));
  const ports = (signal: AbortSignal): Ports => ({
    model,
    tools,
    system,
    signal,
    concurrency: concurrencyOf(snapshot),
    partial: options.partial,
    record: (entries) => {
      fileHistory?.recording(entries);
      return outbox.record(entries);
    },
    show,
    admitted: () => {
      branch = gitBranch(workspace.cwd);
      return show(initSignal({ snapshot, model, tools, cwd: workspace.cwd, mode: gate.mode, memory: instructions.memory }));
    },
    fire: async (event, input) => {
      // What hooks set up for a new folder holds for the next command.
      if (event === "PreToolUse") await surroundings.settled();
      return fire(event, input, signal);
    },
    instructionsFor: (access) => instructions.touched(access),
    permit: (request) => gate.permit(request, options.stdioPermissions ? askClient(signal) : undefined, signal),
    context: (call) => {
      const judged = (path: string) => gate.judgedPath(call, path);
      return {
        ...world.tools,
        files: fileHistory ? fileHistory.around(files(judged), call, judged) : files(judged),
        toolUseId: call.id,
        signal,
        mayRead: (path) => gate.mayRead(path),
      };
    },
    spill: (name, text) => world.spill(name, text),
    steering: () => inbox.takeNotices(),
    charge: (usage, name, durationMs) => {
      lastUsage = usage;
      cost.charge(usage, name, durationMs);
    },
    spent: () => cost.totalUsd,
    now,
    newId,
  });

  const session = new LiveSession({
    id,
    inbox,
    outbox,
    gate,
    cost,
    controls,
    limits: () => limitsOf(snapshot),
    start: async () => {
      const source = !loaded ? "startup" : options.session.fork ? "fork" : "resume";
      const start = { source, model: model.profile.id, title: title(), setup: options.setup } as const;
      const { context, initialUserMessage } = await tellStart(fire, start);
      surroundings.start();
      for (const text of context) notify(text);
      if (initialUserMessage !== undefined) inbox.pushFirst(promptOf(initialUserMessage));
    },
    refresh: async () => {
      const changes = instructions.changes();
      if (changes !== undefined) notify(changes);
      const next = refreshed(snapshot, options.warn);
      if (next === snapshot || !(await mayChangeSettings(fire, snapshot, next))) return;
      adopt(next);
    },
    conversation,
    ports,
    replay: () => replayOf(place.path),
    title,
    end: (reason) => sessionHooks.close(reason === "interrupt" ? "prompt_input_exit" : "other"),
    dispose: async () => {
      await controls.finish();
      await fileHistory?.close();
      await kept;
      await world.close();
      transcript.close();
    },
    now,
  });
  controls.onEnd(() => void session.close("interrupt"));
  return Object.assign(session, { announce: model.announce });
}

function changeOf(from: ResolvedModel, to: ResolvedModel, requested: string | undefined): ModelChange {
  const { ttl: cacheTtl } = to.cache;
  return { from: from.profile.id, to: to.profile.id, requested: requested ?? "default", source: "sdk", cacheTtl };
}

function promptOf(text: string): PromptMessage {
  return { type: "user", message: { role: "user", content: text }, parent_tool_use_id: null };
}

/** What a person accepted for good goes to the settings file they chose. The session has it already. */
async function keepRules(
  updates: readonly PermissionUpdate[],
  snapshot: Snapshot,
  warn: (text: string) => void,
): Promise<readonly string[]> {
  if (updates.length === 0) return [];
  const { written, problems } = await writeRules(updates, snapshot);
  for (const problem of problems) warn(problem);
  return written;
}
