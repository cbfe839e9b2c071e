// Everything the engine needs, in memory: what it recorded, showed, fired and asked can be read afterwards, and ids and
// times are the same in every run. No disk, process or clock.

import {
  ToolError,
  type ModelChoice,
  type ModelProfile,
  type ModelProvider,
  type Permission,
  type PermitRequest,
  type Ports,
  type ReadLedger,
  type Search,
  type Shell,
  type Sighting,
  type Tool,
  type Workspace,
} from "@keelson/engine";
import {
  NOTHING_SAID,
  type HookEvent,
  type HookOutcome,
  type JsonObject,
  type NewEntry,
  type Signal,
  type Usage,
} from "@keelson/protocol";
import { memoryFiles, type MemoryFiles } from "./memory-files.ts";

/** When every test engine's clock starts. */
export const WORLD_START = Date.UTC(2026, 0, 1);

export interface TestEngineOptions {
  readonly tools?: readonly Tool[];
  readonly system?: readonly string[];
  /** Files by absolute path. */
  readonly files?: Readonly<Record<string, string>>;
  /** "/p" if absent. */
  readonly cwd?: string;
  /** The gate; allows everything if absent. */
  readonly permit?: (request: PermitRequest, withdrawn: AbortSignal) => Permission | Promise<Permission>;
  /** What hooks reply; nothing if absent. */
  readonly fire?: (event: HookEvent, input: JsonObject) => HookOutcome | Promise<HookOutcome>;
  /** Instructions that apply once this is touched. */
  readonly instructionsFor?: Ports["instructionsFor"];
  readonly search?: Search;
  readonly shell?: Shell;
  readonly signal?: AbortSignal;
  readonly partial?: boolean;
  readonly concurrency?: number;
  readonly profile?: Partial<ModelProfile>;
  readonly choice?: Partial<Omit<ModelChoice, "provider" | "profile">>;
  /** Files the rules hide from the model; none if absent. */
  readonly mayRead?: (path: string) => boolean;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Dollars spent, from what was charged; nothing costs anything if absent. */
  readonly spent?: (charges: readonly Charge[]) => number | null;
}

export interface Charge {
  readonly usage: Usage;
  readonly model: string;
  readonly durationMs: number;
}

export interface TestEngine {
  readonly ports: Ports;
  /** In the order they were recorded. */
  readonly entries: readonly NewEntry[];
  readonly signals: readonly Signal[];
  readonly fired: readonly { readonly event: HookEvent; readonly input: JsonObject }[];
  readonly asked: readonly PermitRequest[];
  readonly charges: readonly Charge[];
  /** Text that was too long to show, by the path the model was given. */
  readonly spilled: ReadonlyMap<string, string>;
  readonly files: MemoryFiles;
  /** Queues entries for the engine's next safe boundary. */
  steer(...entries: readonly NewEntry[]): void;
  abort(reason?: unknown): void;
}

export function testEngine(model: ModelProvider, options: TestEngineOptions = {}): TestEngine {
  const entries: NewEntry[] = [];
  const signals: Signal[] = [];
  const fired: { event: HookEvent; input: JsonObject }[] = [];
  const asked: PermitRequest[] = [];
  const charges: Charge[] = [];
  const spilled = new Map<string, string>();
  const steering: NewEntry[] = [];
  const aborting = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, aborting.signal]) : aborting.signal;

  let time = WORLD_START;
  let ids = 0;
  const now = () => time++;
  const files = memoryFiles(options.files ?? {}, now);
  const workspace = memoryWorkspace(options.cwd ?? "/p");
  const seen = memoryLedger();

  const ports: Ports = {
    model: choiceOf(model, options),
    tools: () => options.tools ?? [],
    system: options.system ?? [],
    signal,
    concurrency: options.concurrency ?? 10,
    partial: () => options.partial ?? false,
    record: (more) => void entries.push(...more),
    show: (shown) => void signals.push(shown),
    admitted: () => undefined,
    instructionsFor: (access) => options.instructionsFor?.(access) ?? [],
    async fire(event, input) {
      fired.push({ event, input });
      return (await options.fire?.(event, input)) ?? NOTHING_SAID;
    },
    forbids: async () => undefined,
    interrupt: () => aborting.abort(),
    async permit(request, withdrawn) {
      asked.push(request);
      if (options.permit) return await options.permit(request, withdrawn);
      return { behavior: "allow", input: request.input, by: "mode", source: "config" };
    },
    context: (call) => ({
      toolUseId: call.id,
      signal,
      workspace,
      files,
      search: options.search ?? noSearch,
      shell: options.shell ?? noShell,
      seen,
      mayRead: options.mayRead ?? (() => true),
      env: options.env ?? {},
    }),
    async spill(id, text) {
      const path = `/spill/${id}.txt`;
      spilled.set(path, text);
      return path;
    },
    steering: () => steering.splice(0),
    charge: (usage, name, durationMs) => void charges.push({ usage, model: name, durationMs }),
    spent: () => (options.spent ? options.spent(charges) : 0),
    now,
    newId: () => `id-${++ids}`,
  };

  return {
    ports,
    entries,
    signals,
    fired,
    asked,
    charges,
    spilled,
    files,
    steer: (...more) => void steering.push(...more),
    abort: (reason) => aborting.abort(reason),
  };
}

function choiceOf(provider: ModelProvider, { profile, choice }: TestEngineOptions): ModelChoice {
  return {
    provider,
    profile: {
      id: "scripted",
      maxTokens: 32_000,
      contextWindow: 200_000,
      thinking: "none",
      effort: false,
      ...profile,
    },
    betas: [],
    cache: { enabled: false, ttl: "5m" },
    ...choice,
  };
}

function memoryWorkspace(root: string): Workspace {
  let cwd = root;
  return {
    root,
    directories: [root],
    former: [],
    get cwd() {
      return cwd;
    },
    move(path) {
      if (path !== root && !path.startsWith(`${root}/`)) return false;
      cwd = path;
      return true;
    },
  };
}

function memoryLedger(): ReadLedger {
  const sightings = new Map<string, Sighting>();
  const commands: { readonly startMs: number; readonly endMs: number }[] = [];
  return {
    get: (path) => sightings.get(path),
    set: (path, sighting) => void sightings.set(path, sighting),
    recent: () => [...sightings.keys()].reverse(),
    forgetContents: () => sightings.clear(),
    commandRan: (startMs, endMs) => void commands.push({ startMs, endMs }),
    wasOwnCommand: (mtimeMs) => commands.some(({ startMs, endMs }) => startMs <= mtimeMs && mtimeMs <= endMs),
  };
}

const noSearch: Search = {
  run() {
    throw new ToolError("This test engine has no search: pass `search` to testEngine()");
  },
};

const noShell: Shell = {
  run() {
    throw new ToolError("This test engine has no shell: pass `shell` to testEngine()");
  },
  background() {
    throw new ToolError("This test engine has no shell: pass `shell` to testEngine()");
  },
};
