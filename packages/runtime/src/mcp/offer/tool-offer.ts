// Which tools the model is offered: the built-in ones first, then those of MCP servers, so that a server that connects
// late does not change what the provider has cached. Tools that would take too much of the context window are deferred:
// the model knows their names, and ToolSearch loads them.

import { assemblePool, type Rule, type Tool } from "@keelson/engine";
import {
  listMcpResourcesTool,
  readMcpResourceDirTool,
  readMcpResourceTool,
  toolSearchTool,
  type DeferredTool,
  type McpResources,
} from "@keelson/tools/mcp";
import { isDenied, serverResources } from "./resources.ts";
import type { SearchMode } from "./search-mode.ts";
import type { McpServers } from "../servers/servers.ts";

export interface ToolOfferOptions {
  readonly servers: McpServers;
  readonly mode: SearchMode;
  /** The context window in tokens. */
  window(): number;
  readonly save: McpResources["save"];
}

export interface OfferedTools {
  readonly tools: readonly Tool[];
  /** Can be called, but are not in the request. */
  readonly deferred: readonly Tool[];
  /** What a request with these tools needs. */
  readonly betas: readonly string[];
}

const CHARACTERS_PER_TOKEN = 4;
const PREPARE_MS = 20;
/** Of the window, for tools that ask not to be deferred. */
const ALWAYS_SHARE = 0.2;
/** For `tool_reference` and `defer_loading`. */
const REFERENCE_BETAS: readonly string[] = ["advanced-tool-use-2025-11-20"];
/** The longest list of names that the model gets; beyond it, the servers are listed. */
const MAX_LISTED = 1_500;

/** The built-in tools that are also deferred when every MCP tool is. */
const DEFERRED_BUILT_IN =
  /^(?:Cron\w+|EnterWorktree|ExitWorktree|NotebookEdit|PowerShell|PushNotification|RemoteTrigger|ScheduleWakeup|SendMessage|ShareOnboardingGuide|Task\w+|WebFetch|WebSearch)$/;

export class ToolOffer {
  readonly #options: ToolOfferOptions;
  readonly #search: Tool;
  readonly #prepareSearch: () => void;
  readonly #resources: readonly Tool[];
  readonly #resourceServers: () => readonly string[];
  readonly #loaded = new Set<string>();
  /** Loaded in a part of the conversation that was compacted: nothing in it says so any longer. */
  readonly #kept = new Set<string>();
  readonly #announced = new Set<string>();
  readonly #announcedServers = new Set<string>();
  #changes = 0;
  #rules: readonly Rule[] = [];
  /** The same array until the tools change: ToolSearch keeps an index of it. */
  #searchable: readonly DeferredTool[] = [];
  #indexed: readonly Tool[] = [];
  #built: (Basis & { readonly offered: OfferedTools }) | undefined;

  constructor(options: ToolOfferOptions) {
    this.#options = options;
    const { servers } = options;
    const search = toolSearchTool({
      search: () => this.#searchable,
      load: (names) => this.#load(names),
      connecting: () => servers.connecting,
      waitForServers: async (signal) => {
        await servers.settled(signal);
        this.#rebuild();
      },
    });
    this.#prepareSearch = () => search.prepare();
    this.#search = options.mode.references ? search : { ...search, show: (output) => inWords(output, search.show) };
    const resources = serverResources(servers, () => this.#rules, options.save);
    this.#resourceServers = () => resources.servers();
    this.#resources = [
      listMcpResourcesTool(resources),
      readMcpResourceTool(resources),
      readMcpResourceDirTool(resources),
    ];
  }

  /** The same object until something changes. */
  current(builtIn: readonly Tool[], rules: readonly Rule[]): OfferedTools {
    const { servers } = this.#options;
    const basis: Basis = { version: servers.version, changes: this.#changes, builtIn, rules };
    if (this.#built && isSame(this.#built, basis)) return this.#built.offered;
    this.#rules = rules;
    const offered = this.#divide(builtIn, rules);
    this.#built = { ...basis, offered };
    return offered;
  }

  /** With the tools of servers that have connected since. */
  #rebuild(): void {
    if (this.#built) this.current(this.#built.builtIn, this.#built.rules);
  }

  /** What the model has not been told yet: deferred tools, and servers that are still connecting. */
  takeNotice(): string | undefined {
    if (!this.#isSearching) return undefined;
    const { servers } = this.#options;
    const parts: string[] = [];
    const fresh = (this.#built?.offered.deferred ?? []).filter(({ name }) => !this.#announced.has(name));
    for (const { name } of fresh) this.#announced.add(name);
    if (fresh.length > 0) {
      parts.push(`ToolSearch can load these tools:\n${listing(fresh, servers)}`);
    }
    const isNew = (name: string) => !this.#announcedServers.has(name) && !isDenied(name, this.#rules);
    const pending = servers.connecting.filter(isNew);
    for (const name of pending) this.#announcedServers.add(name);
    if (pending.length > 0) {
      const names = pending.join(", ");
      const shown = names.length <= MAX_LISTED ? names : `${pending.length} servers`;
      parts.push(`MCP servers that are still connecting: ${shown}. ToolSearch waits for them.`);
    }
    return parts.length === 0 ? undefined : parts.join("\n\n");
  }

  /** The conversation was compacted: loaded tools stay, and the others are announced again. */
  compacted(): void {
    for (const name of this.#loaded) this.#kept.add(name);
    this.#announced.clear();
    this.#announcedServers.clear();
    this.#changes++;
  }

  get #isSearching(): boolean {
    return this.#built?.offered.tools.includes(this.#search) === true;
  }

  #divide(builtIn: readonly Tool[], rules: readonly Rule[]): OfferedTools {
    const { servers, mode, window } = this.#options;
    const taken = new Set(builtIn.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
    const own = this.#resourceServers().length > 0 ? this.#resources : [];
    const mcp = assemblePool([...own, ...servers.tools().filter(({ name }) => !taken.has(name))], { rules });
    const maySearch = assemblePool([this.#search], { rules }).length > 0 && mode.share < 1;
    // Servers ask for this themselves, so it has a limit: beyond it no request would fit into the window.
    let room = ALWAYS_SHARE * window() * CHARACTERS_PER_TOKEN;
    const mayDefer = mcp.filter((tool) => !this.#isAlwaysLoaded(tool) || (room -= sizeOf([tool])) < 0);
    const isOver =
      mode.share === 0 ||
      (mayDefer.length > 0 && builtIn.length + mcp.length > mode.most) ||
      sizeOf(mayDefer) > mode.share * window() * CHARACTERS_PER_TOKEN;
    if (!maySearch || !isOver) {
      return { tools: [...builtIn, ...mcp], deferred: [], betas: [] };
    }
    const more = mode.builtIn ? builtIn.filter(({ name }) => DEFERRED_BUILT_IN.test(name)) : [];
    const deferrable = new Set([...mayDefer, ...more]);
    this.#setSearchable([...deferrable]);
    const isHeld = (tool: Tool) => deferrable.has(tool) && !this.#loaded.has(tool.name);
    const asLoaded = (tool: Tool) =>
      mode.references && deferrable.has(tool) && !this.#kept.has(tool.name)
        ? { ...tool, onDemand: true as const }
        : tool;
    const tail = [this.#search, ...mcp.filter((tool) => !isHeld(tool)).map(asLoaded)];
    return {
      tools: [...builtIn.filter((tool) => !isHeld(tool)).map(asLoaded), ...assemblePool(tail, { rules: [] })],
      deferred: [...deferrable].filter(isHeld),
      betas: mode.references ? REFERENCE_BETAS : [],
    };
  }

  #setSearchable(tools: readonly Tool[]): void {
    const known = this.#indexed;
    if (known.length === tools.length && known.every((tool, at) => tool === tools[at])) return;
    this.#indexed = tools;
    this.#searchable = tools.map(({ name, description }) => {
      const server = this.#options.servers.offered.get(name)?.server.name;
      return { name, description, ...(server === undefined ? {} : { server }) };
    });
    // Not now: a request is about to go out. The model needs longer to answer than this takes.
    setTimeout(this.#prepareSearch, PREPARE_MS);
  }

  #isAlwaysLoaded({ name }: Tool): boolean {
    const found = this.#options.servers.offered.get(name);
    return found !== undefined && (found.server.definition.alwaysLoad || found.facts.alwaysLoad === true);
  }

  #load(names: readonly string[]): void {
    for (const name of names) this.#loaded.add(name);
    this.#changes++;
  }
}

/** What the offered tools depend on. */
interface Basis {
  readonly version: number;
  readonly changes: number;
  readonly builtIn: readonly Tool[];
  readonly rules: readonly Rule[];
}

const isSame = (a: Basis, b: Basis) =>
  a.version === b.version && a.changes === b.changes && a.builtIn === b.builtIn && a.rules === b.rules;

/** For APIs that know no tool references: the tools are in the next request, and the model reads that they are. */
function inWords(output: { readonly matches: readonly string[] }, show: Tool["show"]): ReturnType<Tool["show"]> {
  const { matches } = output;
  return matches.length === 0 ? show(output) : `Loaded; call them from now on:\n${matches.join("\n")}`;
}

function sizeOf(tools: readonly Tool[]): number {
  return tools.reduce(
    (sum, { name, description, input }) => sum + name.length + description.length + jsonSize(input),
    0,
  );
}

const sizes = new WeakMap<object, number>();

function jsonSize({ json }: Tool["input"]): number {
  const known = sizes.get(json);
  if (known !== undefined) return known;
  const size = JSON.stringify(json).length;
  sizes.set(json, size);
  return size;
}

/** The names, or if they are too many, the servers. */
function listing(tools: readonly Tool[], servers: McpServers): string {
  const names = tools.map(({ name }) => name).join("\n");
  if (names.length <= MAX_LISTED) return names;
  const from = new Set(tools.map(({ name }) => servers.offered.get(name)?.server.name ?? "built-in"));
  const list = [...from].join(", ");
  return `${tools.length} of ${list.length <= MAX_LISTED ? list : `${from.size} servers`}`;
}
