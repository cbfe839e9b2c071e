// The first stage of a session: its identity, state and working directories, its models, its streams, and who hears that
// the conversation was cleared, compacted or taken back. It runs and judges nothing.

import type { ChainEntry } from "@keelson/protocol";
import { transcriptPath } from "@keelson/store";
import { openWorkFolders, type WorkFolders } from "../machine/work-folders.ts";
import type { Ownership } from "../owner/ownership.ts";
import { openModels, type SessionModels } from "../model/open-models.ts";
import { openStreams, type SessionStreams } from "../stream/open-streams.ts";
import { CallTimes } from "./call-times.ts";
import type { OpenOptions } from "./open-options.ts";
import { choosePlace, type SessionPlace } from "./place.ts";
import { newState, type SessionState } from "./state.ts";

export interface Storage extends SessionModels, SessionStreams, ConversationChanges {
  readonly options: OpenOptions;
  readonly place: SessionPlace;
  readonly owner: Ownership;
  readonly state: SessionState;
  readonly folders: WorkFolders;
  /** When the session started; in a cleared one, when it was cleared. */
  startedMs(): number;
  readonly callTimes: CallTimes;
  newId(): string;
  now(): number;
}

export interface ConversationChanges {
  /** Moves to a new session: another id, another transcript, no cost so far. The listeners of `onClear` follow. */
  clear(): Promise<void>;
  /** The listener forgets what the old conversation was about. */
  onClear(listener: () => void | Promise<void>): void;
  /** The conversation was compacted. The listeners of `onCompact` forget what the model read in it. */
  compacted(): void;
  onCompact(listener: () => void): void;
  /** The conversation went back and has only these entries. The listeners of `onRewind` know what the model knows then. */
  rewound(entries: readonly ChainEntry[]): void;
  onRewind(listener: (entries: readonly ChainEntry[]) => void): void;
}

export async function openStorage(options: OpenOptions, owner: Ownership): Promise<Storage> {
  const { snapshot } = options;
  const { configDir, cwd, env } = snapshot;
  const newId = () => crypto.randomUUID();
  const now = () => Date.now();
  const project = { configDir, cwd, dirName: env["CLAUDE_CODE_PROJECT_DIR_NAME"] };
  const place = await choosePlace(options.session, project, newId, owner, options.warn);
  const session: { state?: SessionState } = {};
  const { first, ...models } = await openModels(options, place, () => session.state);
  const state = (session.state = newState(options, place, first));
  const folders = openWorkFolders(cwd, snapshot.directories, place.loaded?.folders);
  const { streams, restart } = openStreams({ options, place, owner, state, folders, newId, now });
  let startedMs = now();
  const startAfresh = async () => {
    const next = newId();
    Object.assign(place, { id: next, path: place.path && transcriptPath(place.dir, next), loaded: undefined });
    restart();
    models.cost.reset();
    startedMs = now();
    state.title = undefined;
    state.lastUsage = null;
    state.todos.set([]);
    state.told = { ...state.told, git: false, prompt: false, situation: false };
    // Requests name their session. Without credentials for the model, the next request says so.
    const { provider, metadata } = await models.chooseModel(state.model.profile.id).catch(() => state.model);
    state.model = { ...state.model, provider, metadata };
  };
  return {
    options,
    place,
    owner,
    state,
    folders,
    ...models,
    ...streams,
    ...conversationChanges(startAfresh),
    startedMs: () => startedMs,
    callTimes: new CallTimes(now),
    newId,
    now,
  };
}

function conversationChanges(startAfresh: () => Promise<void>): ConversationChanges {
  const clearListeners: (() => void | Promise<void>)[] = [];
  const compactListeners: (() => void)[] = [];
  const rewindListeners: ((entries: readonly ChainEntry[]) => void)[] = [];
  return {
    async clear() {
      await startAfresh();
      for (const listener of clearListeners) await listener();
    },
    onClear: (listener) => void clearListeners.push(listener),
    compacted: () => compactListeners.forEach((listener) => listener()),
    onCompact: (listener) => void compactListeners.push(listener),
    rewound: (entries) => rewindListeners.forEach((listener) => listener(entries)),
    onRewind: (listener) => void rewindListeners.push(listener),
  };
}
