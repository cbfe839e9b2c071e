// Opens a session: finds its place, joins the ports to the engine, and hands back the one interface front ends know.

import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Snapshot } from "@keelson/config";
import { Conversation, type Limits, type Ports } from "@keelson/engine";
import {
  createLedger,
  createShell,
  createTasks,
  createWorkspace,
  files,
  gitBranch,
  ripgrep,
  type Tasks,
} from "@keelson/host";
import { isPrompt, NOTHING_SAID, project, projectPrompt, type Session } from "@keelson/protocol";
import {
  nullTranscript,
  openTranscript,
  projectKey,
  readEntries,
  spillResult,
  tasksDir,
  toolResultsDir,
} from "@keelson/store";
import { mayBypass } from "./bypass.ts";
import { Controls } from "./controls.ts";
import { Cost } from "./cost.ts";
import { describeClient, initSignal, systemPrompt } from "./facts.ts";
import { Gate } from "./gate.ts";
import { Inbox } from "./inbox.ts";
import { checkBudget, chooseModel, tariffOf } from "./model-choice.ts";
import { Outbox } from "./outbox.ts";
import { choosePlace, type SessionChoice } from "./place.ts";
import { builtInTools } from "./pool.ts";
import { LiveSession } from "./session.ts";
import { taskWatchers } from "./tasks.ts";

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
  /** A copy of ripgrep that came with the program. */
  readonly ripgrep?: string;
  /** Something people should know that is no part of the stream. */
  warn(text: string): void;
}

const CONCURRENCY = 32;
const STRUCTURED_ATTEMPTS = 5;

export async function openSession(options: OpenOptions): Promise<Session & { readonly announce?: string }> {
  const { snapshot, entrypoint } = options;
  const { cwd, configDir, env, flags } = snapshot;
  const newId = () => crypto.randomUUID();
  const now = () => Date.now();

  const dirName = env["CLAUDE_CODE_PROJECT_DIR_NAME"];
  const place = choosePlace(options.session, { configDir, cwd, dirName }, newId);
  const { id, dir, loaded } = place;
  let model = await chooseModel(snapshot, { sessionId: id, entrypoint });
  const tariff = tariffOf(snapshot);
  checkBudget(snapshot, tariff, model.profile.id);

  const added = [...snapshot.directories];
  const workspace = createWorkspace(cwd, () => added);
  const resultsDir = toolResultsDir(dir, id);
  const outputDir = tasksDir(env["CLAUDE_CODE_TMPDIR"] || tmpdir(), process.getuid?.() ?? 0, projectKey(cwd), id);
  const transcript = place.path
    ? openTranscript({
        path: place.path,
        sticky: loaded?.sticky,
        onFailure: (error) =>
          options.warn(`The transcript cannot be written (${error.message}); the session goes on without it`),
      })
    : nullTranscript();

  const inbox = new Inbox();
  let branch = gitBranch(cwd);
  const outbox = new Outbox({
    sessionId: id,
    entrypoint,
    leaf: loaded?.leafUuid ?? null,
    replayPrompts: options.replayPrompts,
    append: (entries) => void transcript.append(entries),
    cwd: () => workspace.cwd,
    gitBranch: () => branch,
    now,
    newId,
  });
  const show: Ports["show"] = (signal) => outbox.show(signal);
  const tasks: Tasks = createTasks({
    watchers: taskWatchers({
      show,
      newId,
      running: () => tasks.list().filter(({ status }) => status === "running"),
      notify: (entry, options) => inbox.notify(entry, options),
    }),
  });
  const shell = createShell({
    configDir,
    sessionId: id,
    entrypoint,
    childEnv: snapshot.childEnv,
    env,
    resultsDir,
    tasksDir: outputDir,
    tasks,
  });
  const gate = new Gate({
    mode: snapshot.mode,
    rules: snapshot.rules,
    home: snapshot.home,
    bypassAllowed: mayBypass(snapshot, process.getuid?.()),
    readable: [resultsDir, outputDir],
    cwd: () => workspace.cwd,
    directories: () => workspace.directories,
    addDirectories: (paths) => void added.push(...paths),
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
  const tools = builtInTools(snapshot, tasks);
  const world = {
    workspace,
    files: files(),
    search: ripgrep({
      env: snapshot.childEnv,
      embedded: options.ripgrep,
      cacheDir: join(env["XDG_CACHE_HOME"] || join(snapshot.home, ".cache"), "keelson"),
    }),
    shell,
    seen: createLedger(),
    mayRead: (path: string) => gate.mayRead(path),
    env,
  };

  const limits: Limits = {
    maxTurns: flags.maxTurns ?? positive(env["CLAUDE_CODE_MAX_TURNS"]),
    maxBudgetUsd: flags.maxBudgetUsd,
    summarizeOnMaxTurns: snapshot.settings.summarizeOnMaxTurns,
    ...(flags.jsonSchema
      ? {
          structured: {
            schema: flags.jsonSchema,
            maxRetries: positive(env["MAX_STRUCTURED_OUTPUT_RETRIES"]) ?? STRUCTURED_ATTEMPTS,
          },
        }
      : {}),
  };
  const system = systemPrompt(snapshot, { model, branch, tools, date: new Date(now()) });
  const ports = (signal: AbortSignal): Ports => ({
    model,
    tools,
    system,
    signal,
    concurrency: positive(env["CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY"]) ?? CONCURRENCY,
    partial: options.partial,
    record: (entries) => outbox.record(entries),
    show,
    fire: async () => NOTHING_SAID,
    permit: (request) =>
      gate.permit(request, options.stdioPermissions ? (body) => controls.ask(body, signal) : undefined),
    context: (call) => ({ ...world, toolUseId: call.id, signal }),
    spill: (name, text) => spillResult(resultsDir, name, text),
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
    limits,
    conversation: Conversation.of(loaded?.entries ?? []),
    init: () => {
      branch = gitBranch(workspace.cwd);
      return initSignal({ snapshot, model, tools, cwd: workspace.cwd, mode: gate.mode });
    },
    ports,
    *replay() {
      for (const entry of place.path ? readEntries(place.path) : []) {
        if (!("uuid" in entry)) continue;
        const message = isPrompt(entry) ? projectPrompt(entry) : project(entry);
        if (message) yield message;
      }
    },
    title: () => options.session.name ?? loaded?.title,
    dispose: async () => {
      await shell.close();
      transcript.close();
    },
    now,
  });
  return Object.assign(session, { announce: model.announce });
}

function positive(value: string | undefined): number | undefined {
  const number = Number(value);
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}
