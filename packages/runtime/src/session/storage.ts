// The first stage of a session: its identity, transcript, state and working directories, its input and output streams,
// and its requests to the client. It runs and judges nothing.

import { Conversation, reminder, type Workspace } from "@keelson/engine";
import { createWorkspace, gitBranch, realPathOf } from "@keelson/host";
import type { ChainEntry, PermissionDenial } from "@keelson/protocol";
import { nullTranscript, openTranscript, transcriptPath, type TranscriptWriter } from "@keelson/store";
import { ClientRequests } from "../controls/client-requests.ts";
import type { Snapshot } from "@keelson/config";
import type { ResolvedModel } from "@keelson/model";
import { Budget } from "../model/budget.ts";
import { Cost } from "../model/cost.ts";
import { checkBudget, chooseModel, modelRates, newProviderMemory } from "../model/model-choice.ts";
import type { Observed } from "../observe/observed.ts";
import { Inbox } from "../stream/inbox.ts";
import { Outbox } from "../stream/outbox.ts";
import type { OpenOptions } from "./open.ts";
import { choosePlace, type SessionPlace } from "./place.ts";
import { RunState } from "./run-state.ts";
import type { SessionState } from "./state.ts";
import { newTodoList, todosIn } from "../task-list/todos.ts";

export interface Storage {
  readonly options: OpenOptions;
  readonly place: SessionPlace;
  readonly state: SessionState;
  readonly folders: WorkFolders;
  closeTranscript(): void;
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly cost: Cost;
  /**
   * The named model, or the one that flags and settings name. Its requests count against the session's budget. A name
   * that the user did not type stays with the session's provider where it can.
   */
  chooseModel(name?: string, options?: { readonly typed?: boolean }): Promise<ResolvedModel>;
  /** Absent if nothing watches the session. */
  readonly observed?: Observed;
  /** Requests to the client. */
  readonly client: ClientRequests;
  /**
   * How clients see subagents. `showsText`: also what they say and think, not only their calls. `denials`: calls of theirs
   * that were denied, for the next result.
   */
  readonly agents: { showsText: boolean; denials: readonly PermissionDenial[] };
  readonly runState: RunState;
  /** Moves to a new session: another id, another transcript, no cost so far. The listeners of `onClear` follow. */
  clear(): Promise<void>;
  /** The listener forgets what the old conversation was about. */
  onClear(listener: () => void | Promise<void>): void;
  /** The conversation was compacted. The listeners of `onCompact` forget what the model was told in it. */
  compacted(): void;
  onCompact(listener: () => void): void;
  /** The conversation went back and has only these entries. The listeners of `onRewind` know what the model knows then. */
  rewound(entries: readonly ChainEntry[]): void;
  onRewind(listener: (entries: readonly ChainEntry[]) => void): void;
  /** Sends the model a reminder at its next safe boundary. */
  notify(text: string): void;
  /** When the session started; in a cleared one, when it was cleared. */
  startedMs(): number;
  newId(): string;
  now(): number;
}

/** The working directories of the session. */
export interface WorkFolders {
  readonly workspace: Workspace;
  /** Calls the `onAdd` listeners if a source is given. */
  add(paths: readonly string[], source?: string): void;
  remove(paths: readonly string[]): void;
  /**
   * The session works in this folder from now on; the one before is no longer a working directory. `quiet`: listeners of
   * `onMove` are not called.
   */
  moveRoot(path: string, options?: RootMove): void;
  /** Folders that commands in the sandbox may write: the working directories, and what git needs in a worktree. */
  writable(): readonly string[];
  /** The listener is called when the shell changes its directory. */
  onMove(listener: (from: string, to: string) => void): void;
  onAdd(listener: (paths: readonly string[], source: string) => void): void;
}

export interface RootMove {
  readonly quiet?: boolean;
  /** More folders that commands may write there. */
  readonly writes?: readonly string[];
}

export async function openStorage(options: OpenOptions): Promise<Storage> {
  const { snapshot, entrypoint } = options;
  const { configDir, cwd, env } = snapshot;
  const newId = () => crypto.randomUUID();
  const now = () => Date.now();
  const project = { configDir, cwd, dirName: env["CLAUDE_CODE_PROJECT_DIR_NAME"] };
  const place = await choosePlace(options.session, project, newId);
  const { id, loaded } = place;
  const rates = modelRates(snapshot);
  const cost = new Cost(rates, loaded?.costState);
  const observed = isWatched(options)
    ? await (await import("../observe/open-observed.ts")).openObserved(options, place, rates)
    : undefined;
  let current: () => Snapshot = () => snapshot;
  const budget = new Budget({
    limit: () => current().flags.maxBudgetUsd,
    spent: () => cost.totalUsd,
    costOf: rates.costOf,
  });
  const memory = newProviderMemory();
  let sessionModel: () => ResolvedModel | undefined = () => undefined;
  const resolve = async (name?: string, { typed = false }: { readonly typed?: boolean } = {}) => {
    const resolved = await chooseModel(current(), {
      model: name,
      beside: typed ? undefined : sessionModel(),
      needsCredentials: sessionModel()?.providerName !== undefined,
      sessionId: place.id,
      entrypoint,
      memory,
      gatherMs: options.gatherMs,
      observed,
    });
    return { ...resolved, provider: budget.guard(resolved.provider) };
  };
  const model = loaded
    ? await (await import("../model/resumed-model.ts")).resumeModel(snapshot, loaded.entries, resolve, options.warn)
    : await resolve();
  checkBudget(snapshot, rates, model.profile.id);
  const state: SessionState = {
    snapshot,
    root: cwd,
    model,
    conversation: new Conversation(),
    instructions: undefined,
    agent: undefined,
    allTools: [],
    builtInTools: [],
    tools: [],
    deferredTools: [],
    originOf: () => undefined,
    toolBetas: [],
    codeWatch: undefined,
    style: undefined,
    ownSystem: [],
    system: [],
    branch: gitBranch(cwd),
    git: undefined,
    told: { gitAsked: false, git: false, prompt: false, situation: false },
    title: options.session.name ?? loaded?.title,
    planName: undefined,
    refused: undefined,
    todos: newTodoList(todosIn(loaded?.entries ?? [])),
    lastUsage: null,
  };
  current = () => state.snapshot;
  sessionModel = () => state.model;
  const folders = workFolders(cwd, snapshot.directories);
  let file = openFile(place, options);
  let startedMs = now();
  const mirrored = () => (options.mirror && place.path !== null ? place.path : undefined);
  const clearListeners: (() => void | Promise<void>)[] = [];
  const compactListeners: (() => void)[] = [];
  const rewindListeners: ((entries: readonly ChainEntry[]) => void)[] = [];
  const outbox = new Outbox({
    sessionId: id,
    entrypoint,
    leaf: loaded?.leafUuid ?? null,
    replayPrompts: options.replayPrompts,
    mirrored: mirrored(),
    append: (entries) => void file.append(entries),
    cwd: () => folders.workspace.cwd,
    gitBranch: () => state.branch,
    slug: () => state.planName,
    ...(options.teammate ? { team: { teamName: options.teammate.team, agentName: options.teammate.name } } : {}),
    originOf: (tool) => state.originOf(tool),
    now,
    newId,
  });
  const inbox = new Inbox();
  inbox.joins = options.interactive === true;
  return {
    options,
    place,
    state,
    folders,
    closeTranscript: () => file.close(),
    inbox,
    outbox,
    cost,
    chooseModel: resolve,
    ...(observed ? { observed } : {}),
    agents: {
      showsText: options.agentText || /^(?:1|true|yes|on)$/i.test(env["CLAUDE_CODE_FORWARD_SUBAGENT_TEXT"] ?? ""),
      denials: [],
    },
    client: new ClientRequests({ send: (message) => outbox.send(message), newId }),
    runState: new RunState({
      reportsState: options.interactive === true || env["CLAUDE_CODE_SDK_READS_SESSION_STATE"] === "1",
      show: (signal) => outbox.show(signal),
    }),
    async clear() {
      const next = newId();
      file.close();
      Object.assign(place, { id: next, path: place.path && transcriptPath(place.dir, next), loaded: undefined });
      file = openFile(place, options);
      outbox.restart({ sessionId: next, mirrored: mirrored() });
      cost.reset();
      inbox.takeNotices();
      startedMs = now();
      state.title = undefined;
      state.lastUsage = null;
      state.todos.set([]);
      state.told = { ...state.told, git: false, prompt: false, situation: false };
      for (const listener of clearListeners) await listener();
    },
    startedMs: () => startedMs,
    onClear: (listener) => void clearListeners.push(listener),
    compacted: () => compactListeners.forEach((listener) => listener()),
    onCompact: (listener) => void compactListeners.push(listener),
    rewound: (entries) => rewindListeners.forEach((listener) => listener(entries)),
    onRewind: (listener) => void rewindListeners.push(listener),
    notify: (text) => inbox.notify(reminder(text, newId()), { wakes: false }),
    newId,
    now,
  };
}

/** Whether there is a debug log, a trace or telemetry. Almost always there is none, and nothing of it is loaded. */
function isWatched({ debug, snapshot: { env } }: OpenOptions): boolean {
  return debug !== undefined || Boolean(env["KEELSON_TRACE"]) || Boolean(env["CLAUDE_CODE_ENABLE_TELEMETRY"]);
}

function openFile({ path, loaded }: SessionPlace, { warn }: OpenOptions): TranscriptWriter {
  if (path === null) return nullTranscript();
  const onFailure = (error: Error) =>
    warn(`The transcript cannot be written (${error.message}); the session continues without it`);
  return openTranscript({ path, sticky: loaded?.sticky, onFailure });
}

function workFolders(root: string, directories: readonly string[]): WorkFolders {
  const added = new Set(directories);
  let alsoWritable: readonly string[] = [];
  const moveListeners: ((from: string, to: string) => void)[] = [];
  const addListeners: ((paths: readonly string[], source: string) => void)[] = [];
  const workspace = createWorkspace(
    root,
    () => [...added],
    (from, to) => moveListeners.forEach((listener) => listener(from, to)),
  );
  return {
    workspace,
    add(paths, source) {
      for (const path of paths) added.add(realPathOf(path));
      if (source !== undefined) for (const listener of addListeners) listener(paths, source);
    },
    moveRoot(path, { quiet = false, writes = [] } = {}) {
      alsoWritable = writes;
      workspace.moveRoot(path, { quiet });
    },
    writable: () => [...workspace.directories, ...alsoWritable],
    remove: (paths) => paths.forEach((path) => added.delete(realPathOf(path))),
    onMove: (listener) => void moveListeners.push(listener),
    onAdd: (listener) => void addListeners.push(listener),
  };
}
