// What goes in and out of a session: prompts, messages, requests to the client, and the transcript behind them.

import { statSync } from "node:fs";
import { findTool, reminder } from "@keelson/engine";
import type { Entry, PermissionDenial, ReplyTo } from "@keelson/protocol";
import { nullTranscript, openTranscript, type TranscriptWriter } from "@keelson/store";
import { isVariableOn } from "@keelson/protocol";
import type * as RequestsModule from "../controls/client-requests.ts";
import { madeLate, type MadeLate } from "../made-late.ts";
import type { WorkFolders } from "../machine/work-folders.ts";
import type { OpenOptions } from "../session/open-options.ts";
import type { Ownership } from "../owner/ownership.ts";
import type { SessionPlace } from "../session/place.ts";
import { RunState } from "../session/run-state.ts";
import type { SessionState } from "../session/state.ts";
import { Clients } from "./clients.ts";
import { Inbox } from "./inbox.ts";
import type * as OpenFilesModule from "../open-files/open-files.ts";
import type * as LiveCallsModule from "./live-calls.ts";
import type { MessageQuery, SessionPast, TranscriptPart } from "./past.ts";
import { Outbox } from "./outbox.ts";

export interface SessionStreams {
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly clients: Clients;
  /** Requests to clients. */
  readonly requests: MadeLate<RequestsModule.ClientRequests>;
  /** What clients have open and not saved. */
  readonly openFiles: MadeLate<OpenFilesModule.OpenFiles>;
  /** Which calls run, for clients that watch them. */
  readonly liveCalls: MadeLate<LiveCallsModule.LiveCalls>;
  /** Messages of the conversation so far. Rejects if `before` is the id of none. */
  messages(query: MessageQuery): Promise<ReplyTo<"get_messages">>;
  /** Of subagents: calls that were denied, for the next result. */
  readonly agents: { denials: readonly PermissionDenial[] };
  readonly runState: RunState;
  /** Sends the model a reminder at its next safe boundary. */
  notify(text: string): void;
  /** Call when the first request is on its way: what the transcript grants is proven from now on. */
  sealTranscript(): void;
  closeTranscript(): void;
}

interface StreamParts {
  readonly options: OpenOptions;
  readonly place: SessionPlace;
  readonly owner: Ownership;
  readonly state: SessionState;
  readonly folders: WorkFolders;
  newId(): string;
  now(): number;
}

/** `restart` follows the session to another place. */
export function openStreams(parts: StreamParts): { readonly streams: SessionStreams; restart(): void } {
  const { options, place, owner, state, folders, newId, now } = parts;
  const { env } = options.snapshot;
  let file = openFile(parts);
  const mirrored = () => place.path ?? undefined;
  let past: Promise<SessionPast> | undefined;
  const openPast = async () => {
    const { SessionPast } = await import("./past.ts");
    return new SessionPast((message) => outbox.named(message));
  };
  const clients = new Clients({
    newId,
    saidSoFar: (most) => {
      // What is written from now on is sent live.
      const part = writtenSoFar(place.path);
      return part && (async () => (await (past ??= openPast())).newest(part, most));
    },
  });
  const outboxOptions = {
    sessionId: place.id,
    entrypoint: options.entrypoint,
    leaf: place.loaded?.leafUuid ?? null,
    echoesParts: options.interactive !== true,
    mirrored: mirrored(),
    append: (entries: readonly Entry[]) => void file.append(entries),
    cwd: () => folders.workspace.cwd,
    gitBranch: () => state.branch,
    slug: () => state.planName,
    ...(options.teammate ? { team: { teamName: options.teammate.team, agentName: options.teammate.name } } : {}),
    originOf: (tool: string) => state.originOf(tool),
    toolOf: (name: string) => findTool(state.allTools, state.toolAliases.get(name) ?? name),
    now,
    newId,
  };
  const outbox: Outbox = new Outbox(outboxOptions, clients);
  const inbox = new Inbox();
  const wantsState =
    isVariableOn(env["CLAUDE_CODE_SDK_READS_SESSION_STATE"]) ||
    isVariableOn(env["CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS"]);
  const reportsState = options.interactive === true || wantsState;
  const runState = new RunState({
    goesOn: () => inbox.goesOn,
    show: (signal) => {
      if (reportsState) return outbox.show(signal);
      return clients.wants("streamEvents") ? outbox.show(signal, "streamEvents") : undefined;
    },
  });
  inbox.released = () => runState.settle();
  const streams: SessionStreams = {
    inbox,
    outbox,
    clients,
    requests: madeLate(() => {
      const { ClientRequests } = require("../controls/client-requests.ts") as typeof RequestsModule;
      return new ClientRequests({ clients, newId, waits: options.onNoAnswerer === "wait" });
    }),
    openFiles: madeLate(() => {
      const { OpenFiles } = require("../open-files/open-files.ts") as typeof OpenFilesModule;
      return new OpenFiles({ clients, requests: () => streams.requests.get() });
    }),
    liveCalls: madeLate(() => {
      const { LiveCalls } = require("./live-calls.ts") as typeof LiveCallsModule;
      return new LiveCalls(clients, outbox);
    }),
    async messages(query) {
      const part = writtenSoFar(place.path);
      return (await (past ??= openPast())).page(part, query);
    },
    agents: { denials: [] },
    runState,
    notify: (text) => inbox.notify(reminder(text, newId()), { wakes: false }),
    sealTranscript: () => file.seal(),
    closeTranscript() {
      file.close();
      owner.release();
    },
  };
  return {
    streams,
    restart() {
      file.close();
      owner.release();
      file = openFile(parts);
      file.seal();
      outbox.restart({ sessionId: place.id, mirrored: mirrored() });
      inbox.takeNotices();
    },
  };
}

/** A session has no file before its first prompt. */
export function writtenSoFar(path: string | null): TranscriptPart | undefined {
  const until = path === null ? 0 : (statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  return path === null || until === 0 ? undefined : { path, until };
}

function openFile({ place: { path, loaded }, owner, options: { warn, snapshot } }: StreamParts): TranscriptWriter {
  if (path === null) return nullTranscript();
  let isWarned = false;
  const warnOnce = (text: string) => {
    if (!isWarned) warn(text);
    isWarned = true;
  };
  return openTranscript({
    path,
    sticky: loaded?.sticky,
    configDir: snapshot.configDir,
    owner,
    onFailure: ({ message }) =>
      warnOnce(`The transcript cannot be written (${message}); the session continues without it`),
    onUnproven: ({ message }) =>
      warnOnce(`A resume of this session will restore neither its mode nor files, because ${message}`),
  });
}
