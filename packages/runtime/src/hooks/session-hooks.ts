// All hook support of a session behind one interface: the dispatcher, the runners, the trace and the change reporter.
// Ends them in order when the session closes.

import type { Snapshot } from "@keelson/config";
import type { HookEvent, HookOutcome, HookRegistration, JsonObject } from "@keelson/protocol";
import type * as HookTraceModule from "@keelson/store/hook-trace";
import type { HookTrace } from "@keelson/store/hook-trace";
import type { Debug } from "../observe/debug.ts";
import type { Observed } from "../observe/observed.ts";
import type { SessionPlace } from "../session/place.ts";
import { HookDispatcher, type FiringAgent, type HookDispatcherOptions } from "./dispatcher.ts";
import type { Runners, RunnersOptions } from "./handlers/runner.ts";
import type { Firing } from "./run-handler.ts";
import { ChangeReporter } from "./change-reporter.ts";

export interface SessionHooksOptions
  extends
    Omit<HookDispatcherOptions, "sessionId" | "transcriptPath" | "runners" | "trace" | "onFields">,
    Omit<RunnersOptions, "sessionId" | "numberOf"> {
  readonly place: SessionPlace;
  snapshot(): Snapshot;
  readonly debug?: Debug;
  readonly observed?: Observed;
  /** Called when a hook sets `sessionTitle`. */
  setTitle(title: string): void;
}

export interface SessionHooks extends Pick<HookDispatcher, "hasHooksFor" | "replace" | "setClient" | "setSkills"> {
  registered(): readonly HookRegistration[];
  /** Called when a hook asks to read the skills again. */
  onReloadSkills(reload: () => void): void;
  readonly changes: ChangeReporter;
  /** Without a signal, hooks run until the session closes. */
  fire(event: HookEvent, input: JsonObject, signal?: AbortSignal, agent?: FiringAgent): Promise<HookOutcome>;
  /** Skips prompt and agent hooks. For agent hooks, which would otherwise call each other forever. */
  fireWithoutModels(
    event: HookEvent,
    input: JsonObject,
    signal: AbortSignal,
    agent?: FiringAgent,
  ): Promise<HookOutcome>;
  /** The session has another id from now on. */
  restart(): void;
  /** Fires SessionEnd, then stops everything hooks started. */
  close(reason: string): Promise<void>;
}

/** How long closing waits for running hooks before it fires SessionEnd. */
const CLOSE_WAIT_MS = 2_000;

export function openSessionHooks({ place, setTitle, ...options }: SessionHooksOptions): SessionHooks {
  const life = new AbortController();
  const trace = createTracer(place, options);
  let reload = () => {};
  const openAll = async () => {
    const [opened] = await Promise.all([openRunners({ ...options, sessionId: () => place.id }), trace.load()]);
    return opened;
  };
  let runners: Promise<Runners> | undefined;
  const hooks = new HookDispatcher({
    ...options,
    sessionId: () => place.id,
    transcriptPath: () => place.path,
    runners: () => (runners ??= openAll()),
    trace: (firing) => {
      trace.add(firing);
      options.observed?.hook(firing);
    },
    onFields: (_, { sessionTitle, watchPaths, reloadSkills }) => {
      if (reloadSkills === true) reload();
      if (typeof sessionTitle === "string" && sessionTitle !== "") setTitle(sessionTitle);
      if (Array.isArray(watchPaths)) changes.watch(watchPaths.filter((path) => typeof path === "string"));
    },
  });
  const underWay = new Set<Promise<HookOutcome>>();
  const fire: SessionHooks["fire"] = (event, input, signal = life.signal, agent) => {
    options.debug?.("hooks", () => {
      const count = hooks.registered.filter((registration) => registration.event === event).length;
      return `${event} fired, ${count} hooks registered for it`;
    });
    const fired = hooks.fire(event, input, { signal, ...(agent ? { agent } : {}) });
    if (!hooks.hasHooksFor(event)) return fired;
    underWay.add(fired);
    void fired.finally(() => underWay.delete(fired));
    return fired;
  };
  const { configDir, cwd: root, hooks: registered } = options.snapshot();
  const changes = new ChangeReporter({
    configDir,
    sessionId: () => place.id,
    root,
    fire,
    hasHooksFor: (event) => hooks.hasHooksFor(event),
    registered: () => hooks.registered,
  });
  hooks.replace(registered.active);
  return {
    hasHooksFor: (event) => hooks.hasHooksFor(event),
    registered: () => hooks.registered,
    onReloadSkills: (listener) => void (reload = listener),
    replace: (registrations) => hooks.replace(registrations),
    setClient: (client, registrations) => hooks.setClient(client, registrations),
    setSkills: (registrations) => hooks.setSkills(registrations),
    changes,
    restart: () => trace.close(),
    fire,
    fireWithoutModels: (event, input, signal, agent) =>
      hooks.fire(event, input, { signal, withoutModels: true, ...(agent ? { agent } : {}) }),
    async close(reason) {
      changes.close();
      await atMost(CLOSE_WAIT_MS, Promise.all([changes.settled(), ...underWay]));
      // Clients no longer answer callbacks; they learn of the end from the end of the stream.
      hooks.dropClients();
      await fire("SessionEnd", { reason });
      life.abort();
      await hooks.close();
      trace.close();
    },
  };
}

async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, over]);
  clearTimeout(timer);
}

/** Env files are numbered by handler; a handler keeps its number for the whole session. */
async function openRunners(options: Omit<RunnersOptions, "numberOf">): Promise<Runners> {
  const { createRunners } = await import("./handlers/runner.ts");
  const numbers = new Map<HookRegistration["handler"], number>();
  return createRunners({
    ...options,
    numberOf({ handler }) {
      if (!numbers.has(handler)) numbers.set(handler, numbers.size);
      return numbers.get(handler)!;
    },
  });
}

/** Writes the hook trace. Its store is loaded with the runners. */
function createTracer(place: SessionPlace, { now, warn }: Pick<SessionHooksOptions, "now" | "warn">) {
  let store: typeof HookTraceModule | undefined;
  let trace: HookTrace | undefined;
  return {
    async load(): Promise<void> {
      store = await import("@keelson/store/hook-trace");
    },
    add({ label, name, registration, input, run, reply }: Firing): void {
      if (place.path === null) return;
      trace ??= store?.openHookTrace(place.dir, place.id, {
        now,
        onFailure: (error) => warn(`The hook trace cannot be written (${error.message}); hooks continue without it`),
      });
      trace?.add({ label, name, registration, input, run, reply });
    },
    /** The next firing opens the trace of the session that is open then. */
    close(): void {
      trace?.close();
      trace = undefined;
    },
  };
}
