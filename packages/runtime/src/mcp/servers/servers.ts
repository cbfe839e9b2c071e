// The MCP servers of a session: connects to them in the background, lists and calls their tools, turns them on and off.
// A session without servers does not load `@keelson/mcp`.

import { ruleName } from "@keelson/config/mcp-names";
import type { Rule, Tool } from "@keelson/engine";
import type { McpConnection } from "@keelson/mcp";
import { normalizeName } from "@keelson/mcp/naming";
import type { ReplyTo, UnusedMcpServer } from "@keelson/protocol";
import { FIRST_CLIENT } from "../../stream/clients.ts";
import { ConnectingNotice } from "./connecting-notice.ts";
import {
  describeInstructions,
  describePrompts,
  describeServers,
  summarizeServers,
  type McpCommand,
  type ServerSummary,
} from "./describe-servers.ts";
import { toolsOfServers, originOfTool, policyRules, type OfferedMcpTool, type ToolOrigin } from "./offered-tools.ts";
import { configuredServers, isOfClient, isSameServer, makesRoom, outdatedServers } from "./precedence.ts";
import { ManagedServer, type ConnectionEvents } from "./server.ts";
import type { NamedServer } from "./server-config.ts";
import { connectTimeout, localSlots, remoteSlots, startupWait } from "./server-limits.ts";
import { Slots } from "./slots.ts";
import { CLOCK, within, type Clock } from "./waits.ts";

export interface ServersOptions {
  /** Makes a connection that is not open yet. */
  connect(server: ManagedServer, events: ConnectionEvents): Promise<McpConnection>;
  env(): Readonly<Record<string, string | undefined>>;
  log?(text: () => string): void;
  /** The end of what the program of a server wrote to standard error. */
  stderrOf?(name: string): string;
  /** The prompts of a server are known, or others than before. */
  promptsChanged?(): void;
  readonly clock?: Clock;
}

/** The client that a server goes with. One of a flag that runs on its own stays. */
const ownerOf = ({ client, transport }: NamedServer) => client ?? (transport === "sdk" ? FIRST_CLIENT : undefined);

/** How long a search for tools waits for servers that still connect. */
const SETTLE_MS = 5_000;
/** A server that takes longer than this to connect makes room for the next. */
const SLOW_MS = 250;
/** How long a request waits for a tool list that the server said has changed. */
const REFRESH_MS = 1_000;

export class McpServers {
  readonly #options: ServersOptions;
  readonly #servers = new Map<string, ManagedServer>();
  readonly #slots: { readonly local: Slots; readonly remote: Slots; readonly client: Slots };
  #unused: readonly UnusedMcpServer[] = [];
  /** Of files and flags, as last configured. */
  #configured: readonly NamedServer[] = [];
  /** Names that the client has given to other servers since it started us. */
  readonly #replaced = new Set<string>();
  readonly #notice = new ConnectingNotice();
  readonly #clock: Clock;
  #started = false;
  #version = 0;
  #nextChange = Promise.withResolvers<void>();
  #offered: { readonly version: number; readonly tools: ReadonlyMap<string, OfferedMcpTool> } | undefined;

  constructor(options: ServersOptions) {
    this.#options = options;
    this.#clock = options.clock ?? CLOCK;
    const env = options.env();
    this.#slots = {
      local: new Slots(localSlots(env)),
      remote: new Slots(remoteSlots(env)),
      client: new Slots(Infinity),
    };
  }

  /** Changes whenever a status, a tool list or a server does. */
  get version(): number {
    return this.#version;
  }

  get all(): readonly ManagedServer[] {
    return [...this.#servers.values()];
  }

  /** The names of the servers that are still connecting. */
  get connecting(): readonly string[] {
    return [...this.#servers.values()].filter(({ status }) => status === "pending").map(({ name }) => name);
  }

  /** The servers that still connect, for a model that has these tools; undefined if it knows. */
  takeNotice(tools: readonly Tool[], rules: readonly Rule[]): string | undefined {
    return this.#notice.take(this.connecting, tools, rules);
  }

  /** Whether rules cannot tell a server of this name from one that is here. */
  hasLike(name: string): boolean {
    return this.all.some((server) => ruleName(server.name) === ruleName(name));
  }

  get #definitions(): readonly NamedServer[] {
    return this.all.map(({ definition }) => definition);
  }

  get(name: string): ManagedServer | undefined {
    return this.#servers.get(name);
  }

  /**
   * Adds servers of the client and returns those that were added. Known ones stay as they are, because a client may
   * initialize twice. Servers of files make room: otherwise one of a repository would get the calls and the rules of the
   * client's.
   */
  add(servers: readonly NamedServer[]): readonly NamedServer[] {
    const added = servers.filter((definition) => {
      const known = this.#servers.get(definition.name);
      if (known && !makesRoom(known.definition, definition)) return false;
      if (known) this.remove(definition.name);
      this.#add(definition);
      return true;
    });
    this.#apply();
    return added;
  }

  /**
   * Makes these the servers that a client has set while the session runs. Those of other clients stay, and those of
   * `--mcp-config`, unless the first client gives one of these their name: then they are gone for good.
   */
  replace(
    servers: readonly NamedServer[],
    client: string,
  ): { readonly added: readonly NamedServer[]; readonly removed: string[] } {
    const own = this.#definitions.filter((each) => (each.client ?? FIRST_CLIENT) === client);
    const outdated = outdatedServers(own, { wanted: servers, configured: this.#configured });
    for (const { name } of outdated) {
      this.#replaced.add(name);
      this.remove(name);
    }
    return {
      added: this.add(servers),
      removed: outdated.map(({ name }) => name).filter((name) => !servers.some((server) => server.name === name)),
    };
  }

  /** A client is gone, and its servers with it. Servers that made room for them are back. */
  removeOf(client: string): void {
    const own = this.#definitions.filter((each) => ownerOf(each) === client);
    for (const { name } of own) this.remove(name);
    if (own.length > 0) this.#apply();
  }

  /** Makes these the servers of files and flags: new and changed ones connect, the others of that kind end. */
  configure(servers: readonly NamedServer[], unused: readonly UnusedMcpServer[]): void {
    this.#unused = unused;
    this.#configured = servers;
    this.#apply();
  }

  #apply(): void {
    const known = this.#definitions;
    const servers = configuredServers(this.#configured, { known, replaced: this.#replaced });
    const wanted = new Map(servers.map((server) => [server.name, server]));
    for (const definition of known) {
      if (isOfClient(definition)) continue;
      const next = wanted.get(definition.name);
      if (next && isSameServer(next, definition)) continue;
      this.remove(definition.name);
    }
    for (const definition of servers) if (!this.#servers.has(definition.name)) this.#add(definition);
    this.#changed();
  }

  remove(name: string): void {
    const server = this.#servers.get(name);
    this.#servers.delete(name);
    void server?.end();
    this.#changed();
  }

  /** Connects every server that is not connected yet, in the background. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    for (const server of this.#servers.values()) void server.connect();
  }

  /**
   * Resolves when the servers that were started have settled, or the time that requests wait for each is over, and changed
   * tool lists are loaded. Undefined if there is nothing to wait for.
   */
  ready(signal: AbortSignal): Promise<void> | undefined {
    const stale = this.all.filter(({ connection }) => connection?.isStale === true);
    const waits = [
      ...(this.#starting(this.all).length > 0 ? [this.waitForStart(this.all, signal)] : []),
      ...(stale.length > 0 ? [this.#refreshed(stale, signal)] : []),
    ];
    return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined);
  }

  /** The user may have signed in meanwhile. */
  retrySignIns(): void {
    for (const server of this.all) if (server.status === "needs-auth") void server.connect();
  }

  /** Waits until each of these has settled, or until the time that requests wait for it is over. */
  async waitForStart(servers: readonly ManagedServer[], signal: AbortSignal): Promise<void> {
    const since = this.#clock.now();
    const awaited = this.#starting(servers);
    if (awaited.length === 0) return;
    for (let left = awaited; left.length > 0 && !signal.aborted; left = this.#starting(servers)) {
      const longest = Math.max(...left.map((server) => this.#timeLeft(server)));
      await within(longest, signal, this.#nextChange.promise, this.#clock);
    }
    this.#options.log?.(() => {
      const late = awaited.filter(({ isSettled }) => !isSettled).map(({ name }) => name);
      const waited = ((this.#clock.now() - since) / 1_000).toFixed(3);
      const names = awaited.map(({ name }) => name).join(", ");
      return `Waited ${waited} s for ${names}${late.length === 0 ? "" : `; still connecting: ${late.join(", ")}`}`;
    });
  }

  #starting(servers: readonly ManagedServer[]): readonly ManagedServer[] {
    return servers.filter((server) => !server.isSettled && this.#timeLeft(server) > 0);
  }

  /** All that were started together share one clock, whoever had to wait for a slot. */
  #timeLeft({ startedAt, definition }: ManagedServer): number {
    if (startedAt === undefined) return 0;
    return startedAt + startupWait(this.#options.env(), definition) - this.#clock.now();
  }

  #refreshed(stale: readonly ManagedServer[], signal: AbortSignal): Promise<void> {
    return within(REFRESH_MS, signal, Promise.all(stale.map((server) => server.refreshTools())), this.#clock);
  }

  /** Resolves when a server that is still connecting and may offer this tool has finished; undefined if none is. */
  awaitTool(name: string, signal: AbortSignal): Promise<void> | undefined {
    if (!name.startsWith("mcp__") || this.offered.has(name)) return undefined;
    const expected = [...this.#servers.values()].filter(
      (server) => server.status === "pending" && name.startsWith(`mcp__${normalizeName(server.name)}__`),
    );
    if (expected.length === 0) return undefined;
    const limit = connectTimeout(this.#options.env());
    return within(limit, signal, Promise.all(expected.map((server) => server.connect())), this.#clock);
  }

  /** What is wrong with the server that a tool of this name would belong to. */
  whyMissing(name: string): string | undefined {
    const server = [...this.#servers.values()].find(
      (each) => each.status !== "connected" && name.startsWith(`mcp__${normalizeName(each.name)}__`),
    );
    if (!server) return undefined;
    const { error, status } = server;
    return `The MCP server "${server.name}" is not connected (${status})${error === undefined ? "" : `: ${error}`}`;
  }

  /** Resolves when no server is connecting any more, or after a timeout. */
  settled(signal: AbortSignal): Promise<void> {
    const pending = [...this.#servers.values()].filter(({ status }) => status === "pending");
    if (pending.length === 0) return Promise.resolve();
    return within(SETTLE_MS, signal, Promise.all(pending.map((server) => server.connect())), this.#clock);
  }

  /** The tools by their names for the model. If two servers have one of the same name, the first server keeps it. */
  get offered(): ReadonlyMap<string, OfferedMcpTool> {
    if (this.#offered?.version === this.#version) return this.#offered.tools;
    const tools = toolsOfServers(this.#servers.values());
    this.#offered = { version: this.#version, tools };
    return tools;
  }

  /** Sorted by name. */
  tools(): readonly Tool[] {
    return [...this.offered.values()]
      .filter(({ policy }) => policy !== "always_deny")
      .map(({ tool }) => tool)
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The tool policies as command-line rules. */
  rules(base: string): readonly Rule[] {
    return policyRules(this.offered.values(), base);
  }

  /** The server of a tool, with the names the server and the tool have on their own side. */
  originOf(tool: string): ToolOrigin | undefined {
    const found = this.offered.get(tool);
    return found && originOfTool(found);
  }

  /** Instructions of the servers for the model, in the order the servers were added. */
  instructions(): readonly { readonly name: string; readonly instructions: string }[] {
    return describeInstructions(this.all);
  }

  /** The prompts of all servers, as slash commands. */
  commands(): readonly McpCommand[] {
    return describePrompts(this.all);
  }

  /** For `system/init`. */
  summary(): readonly ServerSummary[] {
    return summarizeServers(this.all, this.#notUsed);
  }

  /** `stderr`: with what the programs of failed servers wrote, which is for who works with the session. */
  status({ stderr = false } = {}): ReplyTo<"mcp_status">["mcpServers"] {
    return describeServers(this.all, this.#notUsed, (name) => (stderr ? this.#options.stderrOf?.(name) : "") ?? "");
  }

  /** A name that another definition uses is listed once. */
  get #notUsed(): readonly UnusedMcpServer[] {
    return this.#unused.filter(({ name }) => !this.#servers.has(name));
  }

  /** Turning a server off ends it; turning it on connects it again. */
  async toggle(name: string, enabled: boolean): Promise<void> {
    const server = this.#servers.get(name);
    if (!enabled) await server?.end();
    else if (server?.status === "disabled") {
      const { manifest: _, ...definition } = server.definition;
      void this.#add(definition).connect();
    }
  }

  /** Resolves when no server is left running. */
  async close(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.end()));
    this.#servers.clear();
  }

  #add(definition: NamedServer): ManagedServer {
    const { transport } = definition;
    const slots =
      transport === "sdk" ? this.#slots.client : transport === "stdio" ? this.#slots.local : this.#slots.remote;
    const server = new ManagedServer(definition, {
      connect: (self, events) => this.#options.connect(self, events),
      slots,
      slow: (signal) => this.#clock.sleep(SLOW_MS, signal),
      changed: () => this.#changed(),
      promptsChanged: () => this.#options.promptsChanged?.(),
      log: (text) => this.#options.log?.(text),
      ...this.#clock,
    });
    this.#servers.set(definition.name, server);
    this.#changed();
    // A client's servers are part of the program that started us: there is nothing to start.
    if (transport === "sdk" || this.#started) void server.connect();
    return server;
  }

  #changed(): void {
    this.#version++;
    this.#nextChange.resolve();
    this.#nextChange = Promise.withResolvers();
  }
}
