// What goes in and out of a session: prompts, messages, requests to the client, and the transcript behind them.

import { findTool, reminder } from "@keelson/engine";
import type { PermissionDenial } from "@keelson/protocol";
import { nullTranscript, openTranscript, type TranscriptWriter } from "@keelson/store";
import { isVariableOn } from "@keelson/protocol";
import { ClientRequests } from "../controls/client-requests.ts";
import type { WorkFolders } from "../machine/work-folders.ts";
import type { OpenOptions } from "../session/open-options.ts";
import type { SessionPlace } from "../session/place.ts";
import { RunState } from "../session/run-state.ts";
import type { SessionState } from "../session/state.ts";
import { Inbox } from "./inbox.ts";
import { Outbox } from "./outbox.ts";

export interface SessionStreams {
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  /** Requests to the client. */
  readonly client: ClientRequests;
  /**
   * How clients see subagents. `showsText`: also what they say and think, not only their calls. `denials`: calls of theirs
   * that were denied, for the next result.
   */
  readonly agents: { showsText: boolean; denials: readonly PermissionDenial[] };
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
  readonly state: SessionState;
  readonly folders: WorkFolders;
  newId(): string;
  now(): number;
}

/** `restart` follows the session to another place. */
export function openStreams(parts: StreamParts): { readonly streams: SessionStreams; restart(): void } {
  const { options, place, state, folders, newId, now } = parts;
  const { env } = options.snapshot;
  let file = openFile(place, options);
  const mirrored = () => (options.mirror && place.path !== null ? place.path : undefined);
  const outbox = new Outbox({
    sessionId: place.id,
    entrypoint: options.entrypoint,
    leaf: place.loaded?.leafUuid ?? null,
    replayPrompts: options.replayPrompts && (options.interactive || "parts"),
    mirrored: mirrored(),
    append: (entries) => void file.append(entries),
    cwd: () => folders.workspace.cwd,
    gitBranch: () => state.branch,
    slug: () => state.planName,
    ...(options.teammate ? { team: { teamName: options.teammate.team, agentName: options.teammate.name } } : {}),
    originOf: (tool) => state.originOf(tool),
    ...(options.toolMeta
      ? { toolOf: (name: string) => findTool(state.allTools, state.toolAliases.get(name) ?? name) }
      : {}),
    now,
    newId,
  });
  const inbox = new Inbox();
  const runState = new RunState({
    reportsState: options.interactive === true || isVariableOn(env["CLAUDE_CODE_SDK_READS_SESSION_STATE"]),
    goesOn: () => inbox.goesOn,
    show: (signal) => outbox.show(signal),
  });
  inbox.released = () => runState.settle();
  const streams: SessionStreams = {
    inbox,
    outbox,
    client: new ClientRequests({ send: (message) => outbox.send(message), newId }),
    agents: {
      showsText: options.agentText || isVariableOn(env["CLAUDE_CODE_FORWARD_SUBAGENT_TEXT"]),
      denials: [],
    },
    runState,
    notify: (text) => inbox.notify(reminder(text, newId()), { wakes: false }),
    sealTranscript: () => file.seal(),
    closeTranscript: () => file.close(),
  };
  return {
    streams,
    restart() {
      file.close();
      file = openFile(place, options);
      file.seal();
      outbox.restart({ sessionId: place.id, mirrored: mirrored() });
      inbox.takeNotices();
    },
  };
}

function openFile({ path, loaded }: SessionPlace, { warn, snapshot }: OpenOptions): TranscriptWriter {
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
    onFailure: ({ message }) =>
      warnOnce(`The transcript cannot be written (${message}); the session continues without it`),
    onUnproven: ({ message }) =>
      warnOnce(`A resume of this session will restore neither its mode nor files, because ${message}`),
  });
}
