// What an editor may ask for, by method.

import { isObject, type JsonObject } from "@keelson/protocol";
import type { EditorHost, WantedEditorSession } from "../host.ts";
import { readEditorPrompt } from "../prompt/prompt.ts";
import type { CallReply } from "../rpc/connection.ts";
import { ERROR_CODES, RpcError, wrongParams } from "../rpc/rpc-error.ts";
import type { ClientCapabilities } from "../schema/types.ts";
import type { BegunSession, EditorSessions } from "../sessions/editor-sessions.ts";
import { listPage } from "./list-page.ts";
import { folderParam, foldersParam, optionalText, serversParam, textParam, type Params } from "./read-params.ts";

export interface MethodTargets {
  readonly host: EditorHost;
  readonly sessions: EditorSessions;
  isInitialized: boolean;
  /** What the editor said about itself. */
  capabilities: ClientCapabilities;
}

export type EditorMethod = (params: Params, targets: MethodTargets, signal: AbortSignal) => Promise<CallReply>;

/** The version that we speak. */
const PROTOCOL_VERSION = 1;

/** `signInMethods` are for people without a key. */
const KEY_METHOD = "api-key";

export const METHODS: Readonly<Record<string, EditorMethod>> = {
  initialize: async (params, targets) => {
    const { protocolVersion: version, clientCapabilities: capabilities } = params;
    if (typeof version !== "number") throw wrongParams('"protocolVersion" must be a number');
    targets.capabilities = isObject(capabilities) ? capabilities : {};
    targets.isInitialized = true;
    return {
      result: {
        protocolVersion: PROTOCOL_VERSION,
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, embeddedContext: true, audio: false },
          mcpCapabilities: { http: true, sse: true },
          sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, additionalDirectories: {} },
          auth: { logout: {} },
          _meta: { claudeCode: { promptQueueing: true } },
        },
        agentInfo: { name: "keelson", title: "Keelson", version: targets.host.version },
        authMethods: signInMethods(targets.capabilities),
        _meta: { steering: { supported: true } },
      },
    };
  },

  authenticate: async (params, { host, capabilities }) => {
    const method = textParam(params, "methodId");
    // Each of them leaves a key behind, at the latest when the editor says so.
    if (signInMethods(capabilities).every(({ id }) => id !== method))
      throw wrongParams(`there is no method ${JSON.stringify(method)}; use "${KEY_METHOD}"`);
    if (!(await host.hasModel())) throw signInRequired(capabilities);
    return { result: {} };
  },

  logout: async (_params, { host }) => {
    await host.logOut();
    return { result: {} };
  },

  "session/new": async (params, { sessions }) => {
    const begun = await sessions.create(wantedIn(params), serversParam(params));
    return begunReply(begun, { sessionId: begun.id });
  },

  "session/load": async (params, { sessions }) => {
    const how = { replay: true, servers: serversParam(params) };
    return begunReply(await sessions.resume(textParam(params, "sessionId"), wantedIn(params), how));
  },

  "session/resume": async (params, { sessions }) => {
    const how = { replay: false, servers: serversParam(params) };
    return begunReply(await sessions.resume(textParam(params, "sessionId"), wantedIn(params), how));
  },

  "session/list": async (params, { host }) => {
    const folder = optionalText(params, "cwd") === undefined ? undefined : folderParam(params, "cwd");
    const cursor = optionalText(params, "cursor");
    return { result: listPage(await host.list(folder), cursor) };
  },

  // The prompt has its place before anything is awaited, so that a stop covers those before it, and no other.
  "session/prompt": async (params, { sessions }, signal) => {
    const session = sessions.get(textParam(params, "sessionId"));
    const read = readEditorPrompt(params["prompt"]);
    if (read.problem !== undefined) throw wrongParams(read.problem);
    const steering = isObject(params["_meta"]) ? params["_meta"]["steering"] : undefined;
    const steers = steering !== undefined && steering !== null && steering !== false;
    const stopReason = await session.prompt(read.content, signal, { steers });
    return { result: { stopReason } };
  },

  // As clients of the adapter know it: the prompt that runs takes this in, and its reply answers both.
  "_session/steering": async (params, { sessions }) => {
    const session = sessions.get(textParam(params, "sessionId"));
    const read = readEditorPrompt(params["prompt"]);
    if (read.problem !== undefined) throw wrongParams(read.problem);
    const whenIdle = steeringWhenIdle(params);
    if (session.steer(read.content)) return { result: { outcome: "injected" } };
    if (whenIdle === "promptRequired") return { result: { outcome: "promptRequired", reason: "noRunningTurn" } };
    session
      .prompt(read.content, new AbortController().signal, { steers: false })
      .catch((error: Error) => session.failed(error));
    return { result: { outcome: "startedNewTurn" } };
  },

  "session/close": async (params, { sessions }) => {
    await sessions.close(textParam(params, "sessionId"));
    return { result: {} };
  },

  "session/delete": async (params, { sessions }) => {
    await sessions.remove(textParam(params, "sessionId"));
    return { result: {} };
  },

  "session/set_mode": async (params, { sessions }) => {
    const session = sessions.get(textParam(params, "sessionId"));
    await session.choose("mode", textParam(params, "modeId"));
    return { result: {}, after: () => void session.refresh() };
  },

  "session/set_config_option": async (params, { sessions }) => {
    const session = sessions.get(textParam(params, "sessionId"));
    const configOptions = await session.choose(textParam(params, "configId"), params["value"]);
    return { result: { configOptions }, after: () => void session.refresh() };
  },
};

function steeringWhenIdle({ _meta: meta }: Params): "promptRequired" | undefined {
  const steering = isObject(meta) ? meta["steering"] : undefined;
  const given = isObject(steering) ? steering["idleBehavior"] : undefined;
  if (given === undefined || given === "promptRequired") return given;
  throw wrongParams('"idleBehavior" can be "promptRequired"');
}

/** Notifications. What is wrong with one cannot be answered, so it is ignored. */
export function takeNotification(method: string, params: unknown, { sessions }: MethodTargets): void {
  if (method !== "session/cancel" || !isObject(params)) return;
  const { sessionId } = params;
  if (typeof sessionId === "string") sessions.find(sessionId)?.cancel();
}

const SET_A_KEY = "Set ANTHROPIC_API_KEY for the editor, or run: keelson auth login";

/** How to sign in. An editor with a terminal runs this program in it. */
function signInMethods({ auth }: ClientCapabilities): readonly JsonObject[] {
  return [
    { id: KEY_METHOD, name: "API key", description: SET_A_KEY },
    ...(auth?.terminal === true
      ? [
          {
            type: "terminal",
            id: "terminal",
            name: "Store an API key",
            description: "Type the key in a terminal; it is kept on this machine",
            args: ["--login"],
          },
        ]
      : []),
  ];
}

export const signInRequired = (capabilities: ClientCapabilities): RpcError =>
  new RpcError(
    ERROR_CODES.signInRequired,
    // Some clients show nothing but this text.
    `Authentication required: there is no key for a language model, or it was rejected. ${SET_A_KEY}`,
    {
      authMethods: [...signInMethods(capabilities)],
    },
  );

const wantedIn = (params: Params): WantedEditorSession => ({
  cwd: folderParam(params, "cwd"),
  additionalDirectories: foldersParam(params, "additionalDirectories"),
});

function begunReply({ session, reply }: BegunSession, more: object = {}): CallReply {
  return { result: { ...more, ...reply }, after: () => session.release() };
}
