// What goes in and out of a session: prompts, messages, requests to the client, and the transcript behind them.

import { findTool, reminder } from "@keelson/engine";
import type { Entry, Message, PermissionDenial } from "@keelson/protocol";
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
import type * as ReplayModule from "./replay.ts";
import { Outbox } from "./outbox.ts";

export interface SessionStreams {
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly clients: Clients;
  /** Requests to clients. */
  readonly requests: MadeLate<RequestsModule.ClientRequests>;
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
  const clients = new Clients({ newId, newest: () => newest(place.path, outbox) });
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
  const reportsState = options.interactive === true || isVariableOn(env["CLAUDE_CODE_SDK_READS_SESSION_STATE"]);
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
      return new ClientRequests({ clients, newId });
    }),
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

/** Loaded when a client comes back too late to get all that it missed. */
function newest(path: string | null, outbox: Outbox): readonly Message[] {
  return (require("./replay.ts") as typeof ReplayModule).newestOf(path, (message) => outbox.named(message));
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
