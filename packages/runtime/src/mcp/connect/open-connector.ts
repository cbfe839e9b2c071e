// What connections of a session need from it: its folders, its client, its hooks and its log. Loaded with the first
// connection.

import type { Machine } from "../../machine/machine.ts";
import type { Storage } from "../../session/storage.ts";
import type { Fire } from "../open-servers.ts";
import { fileSaver } from "../offer/file-saver.ts";
import { Connector, type ConnectorOptions } from "./connector.ts";
import type { ElicitOptions } from "./elicit.ts";

type PartHandling = NonNullable<ConnectorOptions["parts"]>;

/** Of the standard error of a program that exited. */
const MAX_LOGGED = 4_000;

export function openConnector(storage: Storage, machine: Machine, fire: Fire): Connector {
  return new Connector(connectorOptions(storage, machine, fire));
}

function connectorOptions(storage: Storage, machine: Machine, fire: Fire): ConnectorOptions {
  const { options, place, state, folders, clients, requests, runState, outbox, callTimes } = storage;
  const personFor =
    (calls: Iterable<string>): ElicitOptions["person"] =>
    async (body, withdrawn) => {
      const ask = () => runState.whileAsking(() => requests.get().ask(body, withdrawn));
      const answer = await callTimes.whileAsking(calls, ask);
      return answer.subtype === "success" ? answer.response : undefined;
    };
  const log = (text: () => string) => options.debug?.("mcp", text);
  const logStderr: ConnectorOptions["started"] = (server, program) => {
    void program.exited.then((how) => {
      const text = program.stderr().slice(-MAX_LOGGED).trim();
      log(() => `${server}: ${how}${text && `. Standard error: ${text}`}`);
    });
  };
  return {
    snapshot: () => state.snapshot,
    sessionId: place.id,
    entrypoint: options.entrypoint,
    directories: () => folders.workspace.directories,
    bridge: (owner, name) => requests.get().mcpServer(owner, name),
    confine: machine.confine,
    programs: () => machine.governing.programs,
    undoChanges: () => machine.undoChanges(),
    parts: { save: fileSaver(machine, "blob"), fit: fitImage },
    async elicit(server, params, { calls, signal }) {
      const { answerElicitation } = await import("./elicit.ts");
      const by = {
        fire,
        ...(options.answers.requests || clients.answer("requests") ? { person: personFor(calls) } : {}),
      };
      return { ...(await answerElicitation(server, params, by, signal)) };
    },
    ...(options.debug ? { started: logStderr } : {}),
    show: (signal) => outbox.show(signal),
    elapsedMs: (id) => callTimes.msOf(id),
    warn: options.warn,
    log,
  };
}

const fitImage: PartHandling["fit"] = async (bytes) => {
  const { readImage } = await import("@keelson/tools/image");
  const { file } = await readImage("result", bytes);
  return { base64: file.base64, mediaType: file.type };
};
