// One session of an editor: prompts, what the user may choose, and what the editor is told beside the conversation.

import { RequestError, type Requests } from "@keelson/client";
import { isObject, isPermissionMode, isResult, type ListedCommand, type Outbound } from "@keelson/protocol";
import type { EditorHost, EditorServers, OpenedForEditor } from "../host.ts";
import type { RpcConnection } from "../rpc/connection.ts";
import { wrongParams, type RpcError } from "../rpc/rpc-error.ts";
import type { ClientCapabilities, SessionConfigOption, SessionModeState, SessionUpdate } from "../schema/types.ts";
import { stopReasonOf, type TurnEnd } from "../turns/stop-reason.ts";
import { asideIn, Asides } from "../turns/asides.ts";
import { Turns } from "../turns/turns.ts";
import { askEditor } from "./ask-editor.ts";
import { answerAboutFile, filesOffered, isAboutFile } from "./editor-files.ts";
import { Attachment } from "./attachment.ts";
import { configOptions, modeState, offeredValues, type ChoiceFacts } from "./choices.ts";

export interface EditorSessionOptions {
  /** As the editor knows it. Our own changes when the conversation is cleared. */
  readonly id: string;
  readonly cwd: string;
  readonly opened: OpenedForEditor;
  /** It is not a new one. */
  readonly isResumed: boolean;
  readonly connection: RpcConnection;
  readonly capabilities: ClientCapabilities;
  readonly host: EditorHost;
  /** The error for a session that has no model. */
  signIn(): RpcError;
  /** The session has ended by itself. */
  ended(): void;
}

export interface SessionReply {
  readonly modes: SessionModeState;
  readonly configOptions: readonly SessionConfigOption[];
}

export interface BeginOptions {
  /** Everything said so far is shown first. Otherwise nothing is, before `release`. */
  readonly replay: boolean;
  readonly servers: EditorServers;
  /** Further working directories. */
  readonly directories: readonly string[];
}

type PromptContent = Parameters<Turns["add"]>[0];

export class EditorSession {
  readonly #options: EditorSessionOptions;
  readonly #turns: Turns;
  readonly #asides: Asides;
  #attached: Attachment | undefined;
  #facts: ChoiceFacts | undefined;
  #window = 0;
  #chosenModel: string | undefined;
  /** Once there was another one, the one that needs no key was chosen. */
  #hadModel = false;
  /** Of the editor, as it first gave them. */
  #servers: EditorServers = {};
  /** What the editor was last told. */
  #shown = { mode: "", options: "" };
  #refreshing: Promise<void> = Promise.resolve();
  /** What the editor may not be told yet. Absent once it may. */
  #held: (() => void)[] | undefined;
  /** Where the user was sent by a server that has not said that it is done. */
  readonly #pages = new Set<string>();
  #isClosing = false;

  constructor(options: EditorSessionOptions) {
    this.#options = options;
    this.#turns = new Turns({
      newId: () => options.host.newId(),
      send: (content, uuid) => this.#attached?.prompt(content, uuid),
      requests: () => this.#requests,
      mayRun: () => this.#requireModel(),
      reasonOf: (result) => stopReasonOf(result, () => options.signIn()),
    });
    this.#asides = new Asides({
      requests: () => this.#requests,
      mayRun: () => this.#requireModel(),
      answered: async (question, answer) => this.#attached?.aside(question, answer),
    });
  }

  /** Becomes a client of the session; if it is one, it becomes another one instead. */
  async begin(options: BeginOptions): Promise<SessionReply> {
    try {
      return await this.#begin(options);
    } catch (error) {
      // If the session was open before, it goes on.
      this.release();
      throw error;
    }
  }

  async #begin({ replay, servers, directories }: BeginOptions): Promise<SessionReply> {
    const before = this.#attached;
    this.#held = replay ? undefined : [];
    const attached = this.#attach(replay);
    // After the new one is there: a question stays open as long as someone can answer it.
    before?.detach();
    const names = Object.keys(servers);
    const reply = await attached.requests.request("initialize", names.length === 0 ? {} : { mcpServers: servers });
    // Replies keep their order among the messages, so the whole transcript has been shown by now.
    if (replay && reply.session_state !== "running") await attached.finish("everything");
    this.#held ??= [];
    await this.#addFolders(attached.requests, directories);
    const facts = await this.#readFacts();
    this.#markShown(facts);
    if (replay) await this.#showUsage(attached.requests);
    await this.#showCommands(attached, reply.commands);
    const { notices, announce } = this.#options.opened;
    // Without a model, the reply to a prompt says more.
    const announced = announce === undefined || this.#hasNoModel ? [] : [announce];
    const left = reply.mcp_servers_applied === false ? [notUsed(names)] : await this.#changeServers(servers);
    for (const text of [...notices, ...announced, ...left]) await this.#show(this.#notice(text));
    if (before === undefined) this.#options.opened.onWarning((text) => this.#warn(text));
    return { modes: modeState(facts), configOptions: configOptions(facts) };
  }

  /** The editor has its reply, and may be told everything from now on. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const tell of held) tell();
  }

  /** The prompt has its place when this returns. */
  prompt(content: PromptContent, signal: AbortSignal, how: { readonly steers: boolean }): Promise<TurnEnd> {
    const aside = asideIn(content);
    return aside === undefined ? this.#turns.add(content, signal, how) : this.#asides.ask(aside, signal);
  }

  /** Puts this into the prompt that runs. False if none does. A question beside the conversation needs none. */
  steer(content: PromptContent): boolean {
    const aside = asideIn(content);
    if (aside !== undefined) {
      this.#asides.ask(aside, new AbortController().signal).catch((error: Error) => this.failed(error));
      return true;
    }
    return this.#turns.inject(content);
  }

  /** What became of a prompt that has no reply to say it. */
  failed({ message }: Error): void {
    this.#warn(message);
  }

  cancel(): void {
    this.#asides.cancel();
    this.#turns.cancel();
  }

  async choose(id: string, value: unknown): Promise<readonly SessionConfigOption[]> {
    const facts = this.#facts ?? (await this.#readFacts());
    const offered = offeredValues(facts, id);
    if (offered.length === 0) throw wrongParams(`there is no option "${id}"`);
    if (typeof value !== "string" || !offered.includes(value)) {
      throw wrongParams(`"${id}" can be ${offered.map((each) => `"${each}"`).join(", ")}`);
    }
    try {
      await this.#set(id, value);
    } catch (error) {
      throw error instanceof RequestError ? wrongParams(error.message) : error;
    }
    const options = configOptions(await this.#readFacts());
    this.#shown.options = JSON.stringify(options);
    return options;
  }

  /** Tells the editor what has changed of its choices. */
  refresh(): Promise<void> {
    return (this.#refreshing = this.#refreshing.then(async () => {
      const facts = await this.#readFacts();
      await this.#show({ sessionUpdate: "current_mode_update", currentModeId: facts.mode });
      await this.#show({ sessionUpdate: "config_option_update", configOptions: configOptions(facts) });
    })).catch(() => undefined);
  }

  /** Ends what the editor has of the session, and the session itself if no one else has it. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.cancel();
    await this.#options.opened.session.close("interrupt");
    this.#turns.end();
  }

  /** The model that needs no key would answer, and no one asked for it. */
  get #hasNoModel(): boolean {
    const { opened, host } = this.#options;
    return !opened.mayBeOffline && !this.#hadModel && this.#facts?.modelId === host.offlineModel;
  }

  /** A load replaces the client: what it did not answer is asked again by the next one. */
  readonly #requests: Requests = {
    request: async (...asked) => {
      for (;;) {
        const attached = this.#attached;
        if (attached === undefined) throw new Error("The session has no client");
        try {
          return await attached.requests.request(...asked);
        } catch (error) {
          const [, , signal] = asked;
          if (attached === this.#attached || this.#isClosing || signal?.aborted) throw error;
        }
      }
    },
  };

  #attach(replay: boolean): Attachment {
    const { opened, isResumed, cwd, capabilities, host, connection, id } = this.#options;
    const newId = () => host.newId();
    const attached: Attachment = new Attachment({
      session: opened.session,
      replay,
      context: {
        cwd,
        capabilities,
        newId,
        isContinued: isResumed && !replay,
        owes: (result) => this.#turns.owes(result),
        keep: (show) => opened.kept.add(show),
        ...(replay ? { kept: opened.kept.read() } : {}),
      },
      openFiles: filesOffered(capabilities),
      show: (update) => (this.#attached === attached ? this.#show(update) : undefined),
      seen: (message) => (this.#attached === attached ? this.#seen(message) : undefined),
      asked: (question) => {
        if (isAboutFile(question))
          return void answerAboutFile(question, { connection, sessionId: id, nameOf: opened.nameOf });
        const ask = () =>
          void askEditor(question, {
            connection,
            context: { sessionId: id, cwd, capabilities, newId, shown: (callId) => attached.shown(callId) },
            allowed: (callId) => attached.allowed(callId),
            sentToPage: (elicitationId) => void this.#pages.add(elicitationId),
          });
        // The call that it is about may be held as well.
        if (this.#held === undefined) ask();
        else this.#held.push(ask);
      },
      ended: (error) => {
        if (error) host.warn(`The session ended badly: ${error.message}`);
        if (this.#attached !== attached) return;
        this.#turns.end();
        if (!this.#isClosing) this.#options.ended();
      },
    });
    return (this.#attached = attached);
  }

  #seen(message: Outbound): void {
    // Not awaited: the replies that it needs come behind this message.
    if (this.#facts !== undefined && mayChangeChoices(message)) void this.refresh();
    this.#turns.take(message);
    if (message.type !== "system" || message.subtype !== "elicitation_complete") return;
    const { elicitation_id: elicitationId } = message;
    if (this.#pages.delete(elicitationId))
      void this.#options.connection.notify("elicitation/complete", { elicitationId });
  }

  #show(update: SessionUpdate): void | Promise<void> {
    if (!this.#isNews(update)) return undefined;
    const { connection, id } = this.#options;
    const tell = () => connection.notify("session/update", { sessionId: id, update });
    return this.#held === undefined ? tell() : void this.#held.push(tell);
  }

  /** Several messages tell of the same change of mode or options; the editor is told once. */
  #isNews(update: SessionUpdate): boolean {
    const shown = this.#shown;
    if (update.sessionUpdate === "current_mode_update") {
      if (shown.mode === update.currentModeId) return false;
      shown.mode = update.currentModeId;
    } else if (update.sessionUpdate === "config_option_update") {
      const options = JSON.stringify(update.configOptions);
      if (shown.options === options) return false;
      shown.options = options;
    }
    return true;
  }

  /** A session that was open already does not have them yet. */
  async #addFolders(requests: Requests, wanted: readonly string[]): Promise<void> {
    if (wanted.length === 0) return;
    const { added_dirs: there } = await requests.request("get_session_info", {});
    const directories = wanted.filter((folder) => !there.includes(folder));
    if (directories.length === 0) return;
    await requests.request("update_permissions", {
      updates: [{ type: "addDirectories", directories, destination: "session" }],
    });
  }

  /** Those of an earlier load end if they are not named again. What is left to say about the others. */
  async #changeServers(servers: EditorServers): Promise<readonly string[]> {
    const known = this.#servers;
    this.#servers = { ...servers, ...known };
    for (const name of Object.keys(known)) {
      const enabled = Object.hasOwn(servers, name);
      // A server that could not be started does not have to be ended.
      await this.#requests.request("mcp_toggle", { serverName: name, enabled }).catch(() => undefined);
    }
    const changed = Object.keys(servers).filter(
      (name) => Object.hasOwn(known, name) && JSON.stringify(known[name]) !== JSON.stringify(servers[name]),
    );
    return changed.length === 0 ? [] : [notChanged(changed)];
  }

  async #showUsage(requests: Requests): Promise<void> {
    const [{ totalTokens }, { session }] = await Promise.all([
      requests.request("get_context_usage", { detail: "summary" }),
      requests.request("get_usage", { skip_behaviors: true }),
    ]);
    const { total_cost_usd: cost } = session;
    const amount = cost === null ? {} : { cost: { amount: cost, currency: "USD" } };
    await this.#show({ sessionUpdate: "usage_update", used: totalTokens, size: this.#window, ...amount });
  }

  #notice(text: string): SessionUpdate {
    const { session } = this.#options.capabilities;
    if (isObject(session?.notices)) return { sessionUpdate: "notice", severity: "warning", title: text };
    return { sessionUpdate: "agent_message_chunk", content: { type: "text", text: `${text}\n\n` } };
  }

  #warn(content: string): void {
    void this.#attached?.tell({
      type: "system",
      subtype: "informational",
      level: "warning",
      content,
      ...this.#stamp(),
    });
  }

  #showCommands(attached: Attachment, commands: readonly ListedCommand[]): Promise<void> {
    return attached.tell({ type: "system", subtype: "commands_changed", commands, ...this.#stamp() });
  }

  #stamp(): { readonly uuid: string; readonly session_id: string } {
    const { host, opened } = this.#options;
    return { uuid: host.newId(), session_id: opened.session.id };
  }

  async #readFacts(): Promise<ChoiceFacts> {
    const requests = this.#requests;
    const [info, { models }] = await Promise.all([
      requests.request("get_session_info", {}),
      requests.request("list_models", {}),
    ]);
    this.#window = info.context_window;
    this.#hadModel ||= info.model.id !== this.#options.host.offlineModel;
    const { permission_mode: mode, permission_modes: modes, effort, model } = info;
    return (this.#facts = { mode, modes, effort, models, modelId: model.id, chosenModel: this.#chosenModel });
  }

  #markShown(facts: ChoiceFacts): void {
    this.#shown = { mode: facts.mode, options: JSON.stringify(configOptions(facts)) };
  }

  async #set(id: string, value: string): Promise<void> {
    const requests = this.#requests;
    if (id === "mode" && isPermissionMode(value)) await requests.request("set_permission_mode", { mode: value });
    if (id === "effort") await requests.request("apply_flag_settings", { settings: { effortLevel: value } });
    if (id !== "model") return;
    await requests.request("set_model", { model: value });
    this.#chosenModel = value;
  }

  /** A key that was stored in the meantime is used. */
  async #requireModel(): Promise<void> {
    const { host, signIn } = this.#options;
    if (!this.#hasNoModel) return;
    if (await host.hasModel()) {
      await this.#set("model", "default");
      await this.refresh();
    }
    if (this.#hasNoModel) throw signIn();
  }
}

function mayChangeChoices(message: Outbound): boolean {
  if (isResult(message)) return true;
  if (message.type !== "system") return false;
  return message.subtype === "init" || (message.subtype === "status" && message.permissionMode !== undefined);
}

const notChanged = (names: readonly string[]) =>
  `To use the new configuration of these MCP servers, close the session and load it again: ${names.join(", ")}`;

const notUsed = (names: readonly string[]) =>
  `The session is open elsewhere, so these MCP servers of the editor are not used: ${names.join(", ")}`;
