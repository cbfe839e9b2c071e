// Opens a session: finds its place, joins the ports to the engine, and hands back the one interface front ends know.

import { writeRules, type Snapshot } from "@keelson/config";
import { Conversation, type Ports } from "@keelson/engine";
import { files, gitBranch } from "@keelson/host";
import { NOTHING_SAID, type PermissionUpdate, type Session } from "@keelson/protocol";
import { nullTranscript, openTranscript } from "@keelson/store";
import type { Classifier } from "./classifier.ts";
import { Controls } from "./controls.ts";
import { Cost } from "./cost.ts";
import { describeClient, initSignal, systemPrompt } from "./facts.ts";
import { Gate } from "./gate.ts";
import { Inbox } from "./inbox.ts";
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
    sandbox: sandboxState,
    isShielded: (from) => world.hidesDenied(from),
    cwd: () => workspace.cwd,
    directories: () => workspace.directories,
    addDirectories: (paths) => world.addDirectories(paths),
    removeDirectories: (paths) => world.removeDirectories(paths),
    managedOnly: () => snapshot.settings["allowManagedPermissionRulesOnly"] === true,
    classify: async (decision, mode, request, signal) =>
      mode === "auto" ? (await classifier()).judge(decision, mode, request, signal) : decision,
    keep: (updates) => {
      kept = kept.then(async () => world.wroteSettings(await keepRules(updates, snapshot, options.warn)));
    },
    show,
  });
  const controls = new Controls({
    send: (message) => void outbox.send(message),
    newId,
    describe: () => describeClient(model),
    queued: () => inbox.ids,
    setMode: (mode) => gate.setMode(mode),
    setModel: async (name) => {
      model = await chooseModel(snapshot, { model: name, sessionId: id, entrypoint });
      return model.profile.id;
    },
  });
  const cost = new Cost(tariff, loaded?.costState);
  const conversation = Conversation.of(loaded?.entries ?? []);
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
  const system = systemPrompt(snapshot, { model, branch, tools, date: new Date(now()) });

  const ports = (signal: AbortSignal): Ports => ({
    model,
    tools,
    system,
    signal,
    concurrency: concurrencyOf(snapshot),
    partial: options.partial,
    record: (entries) => outbox.record(entries),
    show,
    fire: async () => NOTHING_SAID,
    permit: (request) =>
      gate.permit(request, options.stdioPermissions ? (body) => controls.ask(body, signal) : undefined, signal),
    context: (call) => ({
      ...world.tools,
      files: files((path) => gate.judgedPath(call, path)),
      toolUseId: call.id,
      signal,
      mayRead: (path) => gate.mayRead(path),
    }),
    spill: (name, text) => world.spill(name, text),
    steering: () => inbox.takeNotices(),
    charge: (usage, name, durationMs) => cost.charge(usage, name, durationMs),
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
    refresh: () => {
      const next = refreshed(snapshot, options.warn);
      if (next === snapshot) return;
      world.removeDirectories(snapshot.directories);
      world.addDirectories(next.directories);
      snapshot = next;
      gate.replaceRules(next.rules);
      tools = offeredTools(allTools, next);
    },
    conversation,
    init: () => {
      branch = gitBranch(workspace.cwd);
      return initSignal({ snapshot, model, tools, cwd: workspace.cwd, mode: gate.mode });
    },
    ports,
    replay: () => replayOf(place.path),
    title: () => options.session.name ?? loaded?.title,
    dispose: async () => {
      await kept;
      await world.close();
      transcript.close();
    },
    now,
  });
  return Object.assign(session, { announce: model.announce });
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
