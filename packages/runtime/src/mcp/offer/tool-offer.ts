// Which tools the model is offered: the built-in ones first, then those of MCP servers, so that a server that connects
// late does not change what the provider has cached. Tools that most runs never use, and those that would take too much of
// the context window, are deferred: the model knows their names, and ToolSearch loads them. What it loaded comes last.

import { assemblePool, isSmallWindow, type Rule, type Tool } from "@keelson/engine";
import type { McpResources } from "@keelson/tools/mcp";
import { REFERENCES_BETA } from "@keelson/model";
import type { ModelMessage } from "@keelson/protocol";
import { toolSearchTool, type DeferredTool } from "@keelson/tools/tool-search";
import type * as LoadedIn from "./loaded-in.ts";
import type * as OfferedResources from "./resource-tools.ts";
import type { ResourceTools } from "./resource-tools.ts";
import type { SearchMode } from "./search-mode.ts";
import type { McpServers } from "../servers/servers.ts";

export interface ToolOfferOptions {
  /** Undefined until there is a server. */
  servers(): McpServers | undefined;
  /** At each request: the model may be another. The same object until it is. */
  mode(): SearchMode;
  /** The conversation as it is, for what was loaded in it before the session was opened. */
  messages?(): readonly ModelMessage[];
  /** Built-in tools that the user named, or that this session needs at once. */
  readonly wanted?: ReadonlySet<string>;
  /** Deferred tools that are not announced: most sessions of this kind have no use for them. */
  readonly unannounced?: RegExp;
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
const REFERENCE_BETAS: readonly string[] = [REFERENCES_BETA];
/** The longest list of names that the model gets; beyond it, the servers are listed. */
const MAX_LISTED = 1_500;

/** The built-in tools that most runs never use. */
const RARE =
  /^(?:Cron\w+|EnterWorktree|ExitWorktree|Monitor|NotebookEdit|PushNotification|RemoteTrigger|ScheduleWakeup|SendMessage|ShareOnboardingGuide|TaskOutput|TaskStop|WebFetch|WebSearch)$/;
/** Those that are deferred besides when every MCP tool is. */
const RARE_OR_LONG = /^(?:PowerShell|Task\w+)$/;
/** Those that a small window does without at first: requests are short there. What they list to choose from is not sent either. */
const FOR_LARGE_WINDOWS = /^(?:Agent|Skill|Task\w+|TodoWrite)$/;
/** The longest text of a tool in a small window, in characters. */
const SHORT_TEXT = 500;

export class ToolOffer {
  readonly #options: ToolOfferOptions;
  /** As the window was at first: a later change of the model must not change what is cached. */
  readonly #isSmall: boolean;
  #search: Tool;
  readonly #text: string;
  /** Those that its description names, or that need no naming. */
  #named: ReadonlySet<string> = new Set();
  readonly #prepareSearch: () => void;
  #resources: { readonly of: McpServers; readonly offered: ResourceTools } | undefined;
  /** In the order in which they were loaded. */
  readonly #loaded = new Set<string>();
  /** Loaded in words, or in a part of the conversation that was compacted: no reference in it says so. */
  readonly #kept = new Set<string>();
  readonly #announced = new Set<string>();
  readonly #announcedServers = new Set<string>();
  #changes = 0;
  #rules: readonly Rule[] = [];
  /** The same array until the tools change: ToolSearch keeps an index of it. */
  #searchable: readonly DeferredTool[] = [];
  #indexed: readonly Tool[] = [];
  #built: (Basis & { readonly offered: OfferedTools }) | undefined;
  /** Of this, the model knows everything. */
  #told: object | undefined;

  constructor(options: ToolOfferOptions) {
    this.#options = options;
    this.#isSmall = isSmallWindow(options.window());
    const search = toolSearchTool({
      search: () => this.#searchable,
      load: (names) => this.#load(names),
      connecting: () => options.servers()?.connecting ?? [],
      waitForServers: async (signal) => {
        await options.servers()?.settled(signal);
        this.#rebuild();
      },
    });
    this.#prepareSearch = () => search.prepare();
    const show: Tool["show"] = (output) =>
      options.mode().references ? search.show(output) : inWords(output, search.show);
    this.#search = { ...search, show };
    this.#text = search.description.trimEnd();
  }

  /** The same object until something changes. `others` come after the built-in tools and are never deferred. */
  current(builtIn: readonly Tool[], rules: readonly Rule[], others: readonly Tool[] = NONE): OfferedTools {
    const version = this.#options.servers()?.version ?? -1;
    const basis: Basis = { version, changes: this.#changes, builtIn, rules, others, mode: this.#options.mode() };
    if (this.#built && isSame(this.#built, basis)) return this.#built.offered;
    if (!this.#built) this.#loadAgain();
    this.#rules = rules;
    const offered = this.#divide(basis);
    this.#built = { ...basis, offered };
    return offered;
  }

  /** With the tools of servers that have connected since. */
  #rebuild(): void {
    if (this.#built) this.current(this.#built.builtIn, this.#built.rules, this.#built.others);
  }

  /** What the model has not been told yet: deferred tools and, once a request is about to be made, servers that are still connecting. */
  takeNotice({ isRequest }: { readonly isRequest: boolean }): string | undefined {
    const servers = this.#options.servers();
    const connecting = isRequest ? (servers?.connecting ?? NO_NAMES) : NO_NAMES;
    // It is asked for with each call.
    if (this.#told === this.#built && connecting.length === 0) return undefined;
    this.#told = this.#built;
    if (!this.#isSearching) return undefined;
    const parts: string[] = [];
    const isFresh = (tool: Tool) => !this.#announced.has(tool.name) && !this.#named.has(tool.name);
    const fresh = (this.#built?.offered.deferred ?? []).filter(isFresh);
    for (const { name } of fresh) this.#announced.add(name);
    if (fresh.length > 0) {
      parts.push(`ToolSearch can load these tools:\n${listing(fresh, servers)}`);
    }
    const isNew = (name: string) =>
      !this.#announcedServers.has(name) &&
      !(require("./resource-tools.ts") as typeof OfferedResources).isDenied(name, this.#rules);
    const pending = connecting.filter(isNew);
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
    this.#told = undefined;
    this.#changes++;
  }

  get #isSearching(): boolean {
    return this.#built?.offered.tools.some(({ name }) => name === this.#search.name) === true;
  }

  #divide({ builtIn, rules, others, mode }: Basis): OfferedTools {
    const { window } = this.#options;
    const mcp = this.#ofServers(builtIn, rules);
    const maySearch = assemblePool([this.#search], { rules }).length > 0 && mode.share < 1;
    const all: OfferedTools = { tools: [...builtIn, ...others, ...mcp], deferred: [], betas: [] };
    if (!maySearch) return all;
    // Servers ask for this themselves, so it has a limit: beyond it no request would fit into the window.
    let room = ALWAYS_SHARE * window() * CHARACTERS_PER_TOKEN;
    const mayDefer = mcp.filter((tool) => !this.#isAlwaysLoaded(tool) || (room -= sizeOf([tool])) < 0);
    const rare = builtIn.filter((tool) => this.#isRare(tool, mode));
    const isOver =
      mode.share === 0 ||
      (mayDefer.length > 0 && builtIn.length - rare.length + mcp.length > mode.most) ||
      sizeOf(mayDefer) > mode.share * window() * CHARACTERS_PER_TOKEN;
    const deferrable = new Set([...rare, ...(isOver ? mayDefer : [])]);
    if (deferrable.size === 0 && !(mode.share === 0 && this.#options.servers())) {
      return all;
    }
    // A server that has connected meanwhile may have what is searched for.
    this.#setSearchable(mode.references ? [...deferrable] : [...new Set([...deferrable, ...mcp])]);
    const asLoaded = (tool: Tool) =>
      mode.references && !this.#kept.has(tool.name) ? { ...tool, onDemand: true as const } : tool;
    const isOffered = (tool: Tool) => !deferrable.has(tool);
    this.#name(mode.builtIn === "rare" ? rare : []);
    const own = assemblePool([...builtIn.filter(isOffered), this.#search], { rules: [] });
    const byName = new Map([...deferrable].map((tool) => [tool.name, tool]));
    const loaded = [...this.#loaded].flatMap((name) => byName.get(name) ?? []);
    const texts = this.#isSmall ? shortened : (tool: Tool) => tool;
    return {
      tools: [...own, ...others, ...mcp.filter(isOffered), ...loaded.map(asLoaded)].map(texts),
      deferred: [...deferrable].filter(({ name }) => !this.#loaded.has(name)),
      betas: mode.references ? REFERENCE_BETAS : [],
    };
  }

  /**
   * Names built-in tools in the description of ToolSearch: they are known from the start, so it stays the same, and it
   * outlasts a compaction.
   */
  #name(rare: readonly Tool[]): void {
    this.#named = new Set(rare.map(({ name }) => name));
    const shown = [...this.#named].filter((name) => !this.#options.unannounced?.test(name));
    const description = shown.length === 0 ? this.#text : `${this.#text}\n\nBuilt in: ${shown.join(", ")}`;
    if (this.#search.description !== description) this.#search = { ...this.#search, description };
  }

  /** The tools of the servers that rules leave. */
  #ofServers(builtIn: readonly Tool[], rules: readonly Rule[]): readonly Tool[] {
    const servers = this.#options.servers();
    if (!servers) return [];
    if (this.#resources?.of !== servers) {
      const { resourceTools } = require("./resource-tools.ts") as typeof OfferedResources;
      const offered = resourceTools(servers, () => this.#rules, this.#options.save);
      this.#resources = { of: servers, offered };
    }
    const taken = new Set(builtIn.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
    return assemblePool([...this.#resources.offered(), ...servers.tools().filter(({ name }) => !taken.has(name))], {
      rules,
    });
  }

  #isRare({ name }: Tool, { builtIn }: SearchMode): boolean {
    if (builtIn === "none" || this.#options.wanted?.has(name)) return false;
    if (this.#isSmall && FOR_LARGE_WINDOWS.test(name)) return true;
    return RARE.test(name) || (builtIn === "most" && RARE_OR_LONG.test(name));
  }

  #setSearchable(tools: readonly Tool[]): void {
    const known = this.#indexed;
    if (known.length === tools.length && known.every((tool, at) => tool === tools[at])) return;
    this.#indexed = tools;
    this.#searchable = tools.map(({ name, description }) => {
      const server = this.#options.servers()?.offered.get(name)?.server.name;
      return { name, description, ...(server === undefined ? {} : { server }) };
    });
    // Not now: a request is about to go out. The model needs longer to answer than this takes.
    setTimeout(this.#prepareSearch, PREPARE_MS);
  }

  #isAlwaysLoaded({ name }: Tool): boolean {
    const found = this.#options.servers()?.offered.get(name);
    return found !== undefined && (found.server.definition.alwaysLoad || found.facts.alwaysLoad === true);
  }

  #load(names: readonly string[]): void {
    const { references } = this.#options.mode();
    for (const name of names) {
      if (!references && !this.#loaded.has(name)) this.#kept.add(name);
      this.#loaded.add(name);
    }
    this.#changes++;
  }

  /** What the conversation that goes on says is loaded. */
  #loadAgain(): void {
    const messages = this.#options.messages?.() ?? [];
    if (messages.length === 0) return;
    const { loadedIn } = require("./loaded-in.ts") as typeof LoadedIn;
    for (const { name, isReferred } of loadedIn(messages)) {
      this.#loaded.add(name);
      if (!isReferred) this.#kept.add(name);
    }
  }
}

const NONE: readonly Tool[] = [];
const NO_NAMES: readonly string[] = [];

/** Its first lines, as many as are short. What they introduce is gone with the others. */
function shortened(tool: Tool): Tool {
  const { description, name } = tool;
  if (description.length <= SHORT_TEXT || name === "ToolSearch") return tool;
  const lines = description.slice(0, SHORT_TEXT).split("\n").slice(0, -1);
  while (lines.length > 1 && /^$|:$/.test(lines.at(-1)!)) lines.pop();
  const text = lines.join("\n").trim();
  return text === "" ? tool : { ...tool, description: text };
}

/** What the offered tools depend on. */
interface Basis {
  readonly version: number;
  readonly changes: number;
  readonly builtIn: readonly Tool[];
  readonly rules: readonly Rule[];
  readonly others: readonly Tool[];
  readonly mode: SearchMode;
}

const isSame = (a: Basis, b: Basis) =>
  a.version === b.version &&
  a.changes === b.changes &&
  a.builtIn === b.builtIn &&
  a.rules === b.rules &&
  a.others === b.others &&
  a.mode === b.mode;

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

/** The names; of servers whose names are too many, only theirs. */
function listing(tools: readonly Tool[], servers: McpServers | undefined): string {
  const serverOf = ({ name }: Tool) => servers?.offered.get(name)?.server.name;
  const names = tools.map(({ name }) => name).join("\n");
  if (names.length <= MAX_LISTED) return names;
  const own = tools.filter((tool) => serverOf(tool) === undefined).map(({ name }) => name);
  const from = new Set(tools.flatMap((tool) => serverOf(tool) ?? []));
  const list = [...from].join(", ");
  const others = `${tools.length - own.length} of ${list.length <= MAX_LISTED ? list : `${from.size} servers`}`;
  return [...own, others].join("\n");
}
