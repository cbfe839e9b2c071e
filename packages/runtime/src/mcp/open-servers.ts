// The MCP stage of a session: its servers, and how their tools and its own reach the model. A session without servers
// loads only the latter (`offer`).

import type { ConfiguredMcp, Snapshot } from "@keelson/config";
import type { Rule } from "@keelson/engine";
import type { HookEvent, HookOutcome, JsonObject } from "@keelson/protocol";
import type { RuleBook } from "../gate/rule-book.ts";
import type { Machine } from "../machine/machine.ts";
import type { Storage } from "../session/storage.ts";
import type { Connector } from "./connect/connector.ts";
import type { McpOffer } from "./offer/open-offer.ts";
import type { AgentServers } from "./servers/agent-servers.ts";
import type * as ServerConfigModule from "./servers/server-config.ts";
import type * as ServersModule from "./servers/servers.ts";
import type { SessionSignIns } from "./sign-in/session-sign-ins.ts";

type McpServers = ServersModule.McpServers;

export interface McpStage {
  /** Undefined until there is a server. */
  readonly servers: McpServers | undefined;
  /** The servers, loaded if they are not yet. */
  load(): McpServers;
  /** Adds the configured servers and connects them in the background; at a terminal, once its first frame is drawn. */
  start(): void;
  /** Connects all servers in the background. Called when the session waits for input. */
  connect(): void;
  /**
   * Offers the tools of the servers, and with `waits` first waits for those that are starting, within limits. Call it
   * before each run.
   */
  beforeRun(signal: AbortSignal, how: { readonly waits: boolean }): Promise<void>;
  /** Resolves when servers that are starting have settled, within limits; undefined if there is nothing to wait for. */
  ready(signal: AbortSignal): Promise<void> | undefined;
  /** Tells the model which servers still connect. */
  beforeNotices(): void;
  /** Updates the tools if a server connected, changed or was lost, and tells its instructions. Call it before each request. */
  beforeRequest(): void;
  /** Resolves when a tool whose server is still connecting has come or will not come; undefined if there is none. */
  awaitTool(name: string, signal: AbortSignal): Promise<void> | undefined;
  /** Applies the servers of a new snapshot: new and changed ones connect, those that are gone end. */
  configure(next: Snapshot): void;
  /** The sign-ins that clients start. */
  signIns(): Promise<SessionSignIns>;
  /** Checks server entries of a client as `--mcp-config` does. */
  readConfig(entries: JsonObject): Promise<ConfiguredMcp>;
  /** The rules of a snapshot and the policies that servers come with. */
  rules(snapshot: Snapshot): readonly Rule[];
  /** Servers that only one agent uses. Resolves when they have connected or failed. */
  openFor(configured: ConfiguredMcp, signal: AbortSignal): Promise<AgentServers>;
  /** Hooks that answer questions of servers; set when the hooks are open. */
  useHooks(fire: Fire): void;
  /** The listener is called when the prompts of a server are known, or others than before. */
  onPrompts(listener: () => void): void;
  /** Resolves when no server is left running. */
  close(): Promise<void>;
}

export type Fire = (event: HookEvent, input: JsonObject, signal: AbortSignal) => Promise<HookOutcome>;

/** The terminal draws its first frame before programs are started: they would take the processor from it. */
const WHEN_IDLE_MS = 50;

export function openServers(storage: Storage, machine: Machine, ruleBook: RuleBook): McpStage {
  const { options, state } = storage;
  let servers: McpServers | undefined;
  let fire: Fire | undefined;
  let promptsChanged = () => {};
  let connector: Promise<Connector> | undefined;
  let opened: Connector | undefined;
  let offer: McpOffer | undefined;
  let opening: Promise<McpOffer> | undefined;
  let seenVersion = -1;
  /** From now on, servers connect as soon as they are added. */
  let areStarted = false;
  let starting: NodeJS.Timeout | undefined;
  /** The system prompt of the first request of this conversation. */
  let begunWith: readonly string[] | undefined;
  let signIns: Promise<SessionSignIns> | undefined;
  state.originOf = (tool) => servers?.originOf(tool);

  const newServers = (loaded: () => Promise<void>) => {
    // `require` as below.
    const { McpServers } = require("./servers/servers.ts") as typeof ServersModule;
    return new McpServers({
      env: () => state.snapshot.env,
      log: (text) => options.debug?.("mcp", text),
      promptsChanged: () => promptsChanged(),
      stderrOf: (name) => opened?.stderrOf(name) ?? "",
      connect: async (server, events) => {
        await loaded();
        opened = await (connector ??= openConnector());
        return opened.open(server.definition, events, (...call) => server.call(...call));
      },
    });
  };
  // The offer is loaded with a connection, so that the tools can be offered as soon as the server has connected.
  const load = () => {
    servers ??= newServers(loadOffer);
    if (areStarted) servers.start();
    return servers;
  };
  const startAll = () => {
    areStarted = true;
    servers?.start();
  };
  const openConnector = async () => {
    const opening = await import("./connect/open-connector.ts");
    return opening.openConnector(storage, machine, (...event) => fire!(...event));
  };
  const newOffer = async () => (await import("./offer/open-offer.ts")).openOffer(storage, machine, () => servers);
  const loadOffer = async () => {
    offer ??= await (opening ??= newOffer());
  };
  const configure = ({ mcp }: Snapshot) => {
    if (!servers && mcp.servers.length === 0 && mcp.unused.length === 0) return;
    load().configure(mcp.servers.map(serverConfig().serverFromConfiguration), mcp.unused);
  };
  const rules = ({ rules: own, cwd }: Snapshot) => [...own, ...(servers?.rules(cwd) ?? [])];
  const takeNotice = (isRequest: boolean) => {
    const notice = offer?.tools.takeNotice({ isRequest });
    if (notice !== undefined) storage.notify(notice);
  };
  const update = ({ isRequest = true } = {}) => {
    if (!offer) return;
    if (servers && seenVersion !== servers.version) ruleBook.replaceRules(rules(state.snapshot));
    seenVersion = servers?.version ?? -1;
    // What is not the agent's is not announced either.
    const builtIn = state.agent?.chooseTools(state.builtInTools) ?? state.builtInTools;
    const { tools, deferred, betas } = offer.tools.current(builtIn, ruleBook.rules);
    state.tools = tools;
    state.deferredTools = deferred;
    state.toolBetas = betas;
    takeNotice(isRequest);
  };

  // A new conversation knows no tools and no instructions of servers.
  storage.onClear(async () => {
    begunWith = undefined;
    if (offer) offer = await newOffer();
  });
  // What servers said amid the conversation is no longer in it.
  const tellAgain = () => {
    offer?.tools.compacted();
    const notice = servers && offer?.instructions.again();
    if (notice !== undefined) storage.notify(notice);
  };
  storage.onCompact(tellAgain);
  storage.onRewind(tellAgain);
  storage.folders.onAdd(() => servers?.all.forEach(({ connection }) => connection?.rootsChanged()));

  return {
    get servers() {
      return servers;
    },
    load,
    start() {
      const { mcpServers } = state.snapshot.flags;
      const { sdk = [] } = mcpServers ? serverConfig().serversFromConfig(mcpServers) : {};
      if (sdk.length > 0) load().add(sdk);
      configure(state.snapshot);
      if (!options.interactive) startAll();
    },
    connect() {
      // Those that a client adds later connect as they come.
      if (!areStarted) starting ??= setTimeout(startAll, WHEN_IDLE_MS);
    },
    async beforeRun(signal, { waits }) {
      startAll();
      servers?.retrySignIns();
      await Promise.all([loadOffer(), waits ? servers?.ready(signal) : undefined]);
      if (!offer) return;
      // The settings may have changed.
      seenVersion = -1;
      // A typed prompt of a server may still wait for it.
      update({ isRequest: false });
      if (!servers) return;
      options.debug?.("mcp", () =>
        servers!
          .summary()
          .map(({ name, status }) => `${name}: ${status}`)
          .join(", "),
      );
      if (begunWith) offer.instructions.began(begunWith);
      const { system, notice } = offer.instructions.update(state.ownSystem, servers.instructions());
      state.system = system;
      if (notice !== undefined) storage.notify(notice);
    },
    beforeNotices() {
      takeNotice(true);
      const connecting = servers?.takeNotice(state.tools, ruleBook.rules);
      if (connecting) storage.notify(connecting);
    },
    beforeRequest() {
      update();
      begunWith ??= state.ownSystem;
      if (servers) offer?.instructions.began(begunWith);
      const notice = servers && offer?.instructions.late(servers.instructions());
      if (notice !== undefined) storage.notify(notice);
    },
    ready: (signal) => servers?.ready(signal),
    awaitTool: (name, signal) => servers?.awaitTool(name, signal)?.then(() => update()),
    configure,
    // 30 ms, only to sign in.
    signIns: () =>
      (signIns ??= import("./sign-in/session-sign-ins.ts").then(({ openSignIns }) => openSignIns(storage))),
    readConfig: async (entries) => (await import("./read-config.ts")).readConfig(entries, state.snapshot),
    async openFor(configured, signal) {
      const { openAgentServers } = await import("./servers/agent-servers.ts");
      const own = newServers(async () => undefined);
      return openAgentServers(configured, { own, sessions: servers, warn: options.warn }, signal);
    },
    rules,
    useHooks: (given) => (fire = given),
    onPrompts: (listener) => (promptsChanged = listener),
    async close() {
      clearTimeout(starting);
      (await signIns)?.close();
      await servers?.close();
      await (await connector)?.close();
    },
  };
}

/** `require`, not `import()`: servers are added while a request is handled. */
const serverConfig = () => require("./servers/server-config.ts") as typeof ServerConfigModule;
