// A query in progress: one connection, one caller, one input. Every method is a request that the program carries out.

import type { ChannelReply } from "@keelson/client/requests";
import { isObject, controlBody, type ControlSubtype, type FieldsOf, type Settings } from "@keelson/protocol";
import { cwd as here, env as ourEnvironment } from "node:process";
import { createCaller, type ControlCaller } from "../control/caller.ts";
import type { ControlConnection, Host } from "../control/connection.ts";
import { Input } from "../control/input.ts";
import type { PublishedReply, SDKControlInitializeResponse, SlashCommand } from "../control/replies.ts";
import { ControlRequestError } from "../errors.ts";
import { splitServers, type McpServerConfig, type McpSetServersResult } from "../mcp/config.ts";
import type { SDKMessage, SDKUserMessage } from "../messages/messages.ts";
import type { Options } from "../options/options.ts";
import type { PermissionMode, PermissionUpdate } from "../permissions/permissions.ts";
import type { Query } from "./query-object.ts";
import { StartHooks } from "../start/start-hooks.ts";
import type { StoreSession } from "@keelson/store/remote-session";
import type { SessionStore } from "@keelson/store/remote";

export type Prompt = string | AsyncIterable<SDKUserMessage>;

export class RunningQuery implements Query {
  readonly #connection: ControlConnection;
  readonly #caller: ControlCaller;
  readonly #input: Input;
  readonly #signal: AbortSignal | undefined;
  /** How long the SessionStart hooks took. */
  readonly startHooks = new StartHooks();
  readonly #onAbort = () => this.#stop(() => this.#connection.abort());
  #initialized: Promise<SDKControlInitializeResponse>;
  #commands: SlashCommand[] | undefined;
  #store: StoreSession | undefined;

  /** Takes over the connection and initializes the program, so that only a prompt is missing. */
  constructor(connection: ControlConnection, options: Options) {
    this.#connection = connection;
    this.#caller = createCaller(options, async (server_name, message) => {
      await connection.request(controlBody("mcp_message", { server_name, message }));
    });
    this.#input = new Input(connection, {
      verbatim: options.verbatimPrompts === true,
      needsCaller: () => this.#caller.isNeeded,
    });
    connection.serve(this.#host());
    this.#initialized = this.#initialize();
    this.#signal = options.abortController?.signal;
    if (this.#signal?.aborted) this.#onAbort();
    else this.#signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  begin(prompt: Prompt): void {
    if (typeof prompt === "string") return this.#input.say(prompt);
    this.#input.stream(prompt).catch((error: Error) => this.#stop(() => this.#connection.close(error)));
  }

  /** Also stores the session in a store. Returns the options to start the program with. */
  async join(store: SessionStore): Promise<Options> {
    // Only sessions with a store need the code that reads and writes transcripts.
    const { openStoreSession } = await import("@keelson/store/remote-session");
    const { options } = this.#caller;
    const { sessionStoreFlush, loadTimeoutMs } = options;
    const joined = await openStoreSession({
      store,
      cwd: options.cwd ?? here(),
      env: options.env ?? ourEnvironment,
      resume: options.resume,
      continue: options.continue,
      flush: sessionStoreFlush,
      loadTimeoutMs,
      onMirrorError: (message) => this.#connection.messages.push(message as SDKMessage, message.error.length),
    });
    this.#store = joined;
    const env = { ...(options.env ?? ourEnvironment), ...joined.env };
    return joined.resume === undefined
      ? { ...options, env }
      : { ...options, env, resume: joined.resume, continue: false };
  }

  // Messages.

  next(): Promise<IteratorResult<SDKMessage, void>> {
    return this.#connection.messages.next();
  }

  async return(): Promise<IteratorResult<SDKMessage, void>> {
    this.close();
    return { value: undefined, done: true };
  }

  async throw(error: unknown): Promise<IteratorResult<SDKMessage, void>> {
    this.close();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  close(): void {
    this.#stop(() => this.#connection.close());
  }

  streamInput(messages: AsyncIterable<SDKUserMessage>): Promise<void> {
    return this.#input.stream(messages);
  }

  // Results of `initialize`.

  initializationResult() {
    return this.#initialized;
  }

  reinitialize() {
    this.#initialized = this.#initialize();
    return this.#initialized;
  }

  async supportedCommands() {
    const { commands } = await this.#initialized;
    return this.#commands ?? commands;
  }

  async supportedModels() {
    return (await this.#initialized).models;
  }

  async supportedAgents() {
    return (await this.#initialized).agents;
  }

  async accountInfo() {
    return (await this.#initialized).account;
  }

  // Requests.

  interrupt() {
    return this.#ask("interrupt");
  }

  async setPermissionMode(mode: PermissionMode) {
    await this.#ask("set_permission_mode", { mode });
  }

  async setModel(model?: string) {
    await this.#ask("set_model", { ...(model === undefined ? {} : { model }) });
  }

  async setMaxThinkingTokens(max_thinking_tokens: number | null, thinking_display?: "summarized" | "omitted") {
    await this.#ask("set_max_thinking_tokens", { max_thinking_tokens, thinking_display });
  }

  async setMcpPermissionModeOverride(serverName: string, mode: "default" | "auto" | null) {
    return (await this.#ask("set_mcp_permission_mode_override", { serverName, mode })) ?? {};
  }

  async applyFlagSettings(settings: { [Key in keyof Settings]?: Settings[Key] | null }) {
    await this.#ask("apply_flag_settings", { settings });
  }

  async updateSettings(source: FieldsOf<"update_settings">["source"], settings: Record<string, unknown>) {
    await this.#ask("update_settings", { source, settings });
  }

  async mcpServerStatus() {
    return (await this.#ask("mcp_status")).mcpServers;
  }

  async reconnectMcpServer(serverName: string) {
    await this.#ask("mcp_reconnect", { serverName });
  }

  async toggleMcpServer(serverName: string, enabled: boolean) {
    await this.#ask("mcp_toggle", { serverName, enabled });
  }

  async setMcpServers(servers: Record<string, McpServerConfig>): Promise<McpSetServersResult> {
    const { here, elsewhere } = splitServers(servers);
    // Before the program knows of them, because it may call them at once.
    this.#caller.servers.replace(here);
    const named = Object.keys(here).map((name) => [name, { type: "sdk", name }]);
    return this.#ask("mcp_set_servers", { servers: { ...elsewhere, ...Object.fromEntries(named) } });
  }

  readMcpResource(serverName: string, uri: string) {
    return this.#ask("mcp_read_resource", { serverName, uri });
  }

  getContextUsage(options: { detail?: "summary" | "full" } = {}) {
    return this.#ask("get_context_usage", { detail: options.detail });
  }

  usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET(options: { skipBehaviors?: boolean } = {}) {
    return this.#ask("get_usage", { skip_behaviors: options.skipBehaviors });
  }

  async readFile(path: string, options: { maxBytes?: number; encoding?: "utf-8" | "base64" } = {}) {
    try {
      const { maxBytes: max_bytes, encoding } = options;
      return await this.#ask("read_file", { path, max_bytes, encoding });
    } catch (error) {
      if (error instanceof ControlRequestError && error.errorCode === undefined) return null;
      throw error;
    }
  }

  reloadPlugins(options: Record<string, unknown> = {}) {
    return this.#ask("reload_plugins", { ...options });
  }

  reloadSkills() {
    return this.#ask("reload_skills");
  }

  reloadOutputStyles() {
    return this.#ask("reload_output_styles");
  }

  rewindFiles(user_message_id: string, options: { dryRun?: boolean } = {}) {
    return this.#ask("rewind_files", { user_message_id, dry_run: options.dryRun });
  }

  async seedReadState(path: string, mtime: number) {
    await this.#ask("seed_read_state", { path, mtime });
  }

  async stopTask(task_id: string) {
    await this.#ask("stop_task", { task_id });
  }

  async backgroundTasks(tool_use_id?: string) {
    const answer = await this.#ask("background_tasks", { tool_use_id });
    return tool_use_id === undefined ? true : answer?.backgrounded === true;
  }

  runShellCommand(command: string) {
    return this.#ask("run_shell_command", { command });
  }

  rewindConversation(user_message_id: string) {
    return this.#ask("rewind_conversation", { user_message_id });
  }

  compactConversation(user_message_id: string, options: { direction?: "up_to" | "from"; instructions?: string } = {}) {
    return this.#ask("compact_conversation", { ...options, user_message_id });
  }

  updatePermissions(updates: readonly PermissionUpdate[]) {
    return this.#ask("update_permissions", { updates });
  }

  addMemory(text: string, scope: "project" | "local" | "user" = "project") {
    return this.#ask("add_memory", { text, scope });
  }

  listMcpResources() {
    return this.#ask("mcp_list_resources");
  }

  authenticateMcpServer(serverName: string, options: { openBrowser?: boolean } = {}) {
    return this.#ask("mcp_authenticate", { serverName, openBrowser: options.openBrowser });
  }

  async submitMcpCode(serverName: string, code: string) {
    await this.#ask("mcp_submit_code", { serverName, code });
  }

  async #ask<Subtype extends ControlSubtype>(
    subtype: Subtype,
    fields?: FieldsOf<Subtype>,
  ): Promise<PublishedReply<Subtype>> {
    return (await this.#connection.request<PublishedReply<Subtype>>(controlBody(subtype, fields))).response;
  }

  #initialize(): Promise<SDKControlInitializeResponse> {
    const asked = this.#connection
      .request(controlBody("initialize", this.#caller.initialize()))
      .then((reply) => this.#accept(reply));
    // No one has to wait for it; those who do get the error themselves.
    asked.catch(() => undefined);
    return asked;
  }

  #accept({ response, envelope }: ChannelReply): SDKControlInitializeResponse {
    const facts = isObject(response) ? response : {};
    if (this.#caller.hooks.needOnFailure && facts["hook_on_failure_supported"] !== true) {
      const error = new ControlRequestError(
        'The program does not support onFailure: "block": a failing hook would be ignored',
      );
      this.#stop(() => this.#connection.close(error));
      throw error;
    }
    this.#commands = undefined;
    // Questions that were open when the client reconnected.
    for (const list of ["pending_permission_requests", "pending_user_dialog_requests"]) {
      const requests = envelope[list];
      for (const request of Array.isArray(requests) ? requests : []) this.#connection.redeliver(request);
    }
    return facts as SDKControlInitializeResponse;
  }

  #host(): Host {
    const store = () => this.#store;
    return {
      answer: (request, asked) => this.#caller.answer(request, asked),
      onMessage: (message) => this.#onMessage(message),
      get settle() {
        const kept = store();
        if (kept === undefined) return undefined;
        return async (message: Record<string, any>) => {
          await kept.take(message);
          if (message["type"] === "result") await kept.flush();
        };
      },
      stderr: (text) => this.#caller.options.stderr?.(text),
      beforeEnd: async () => {
        this.#signal?.removeEventListener("abort", this.#onAbort);
        this.#input.close();
        this.#caller.servers.close();
        await this.#store?.close();
      },
    };
  }

  /** Whether the reader gets this message. */
  #onMessage(message: Record<string, any>): boolean {
    if (message["type"] === "keep_alive" || message["type"] === "transcript_mirror") return false;
    if (message["subtype"] === "commands_changed") this.#commands = message["commands"];
    this.startHooks.onMessage(message);
    this.#input.onMessage(message);
    return message["sdk_host_only"] !== true;
  }

  #stop(end: () => void): void {
    this.#input.close();
    end();
  }
}
