// The hooks of one session, joined to what they need and to what the session has to tell them.

import type { Snapshot } from "@keelson/config";
import type { HookEvent, HookOutcome, HookRegistration, JsonObject } from "@keelson/protocol";
import { loadHookTrace, type HookTrace } from "@keelson/store";
import type { SessionPlace } from "../place.ts";
import { Hooks, type Firing, type HooksOptions } from "./dispatch.ts";
import type { Runners, RunnersOptions } from "./runners.ts";
import { Surroundings } from "./surroundings.ts";

export interface SessionHooksOptions
  extends
    Omit<HooksOptions, "sessionId" | "transcriptPath" | "runners" | "trace" | "heed">,
    Omit<RunnersOptions, "sessionId" | "numberOf"> {
  readonly place: SessionPlace;
  snapshot(): Snapshot;
  /** A hook gives the session a title. */
  entitle(title: string): void;
}

export interface SessionHooks {
  readonly hooks: Hooks;
  readonly surroundings: Surroundings;
  /** Without a signal it runs as long as the session. */
  fire(event: HookEvent, input: JsonObject, signal?: AbortSignal): Promise<HookOutcome>;
  /** Tells of the end, then ends everything hooks have left behind. */
  close(reason: string): Promise<void>;
}

export function openSessionHooks({ place, entitle, ...options }: SessionHooksOptions): SessionHooks {
  const life = new AbortController();
  const trace = tracer(place, options);
  const openAll = async () => {
    const [opened] = await Promise.all([openRunners({ ...options, sessionId: place.id }), trace.load()]);
    return opened;
  };
  let runners: Promise<Runners> | undefined;
  const hooks = new Hooks({
    ...options,
    sessionId: place.id,
    transcriptPath: place.path,
    runners: () => (runners ??= openAll()),
    trace: trace.add,
    heed: (_, { sessionTitle, watchPaths }) => {
      if (typeof sessionTitle === "string" && sessionTitle !== "") entitle(sessionTitle);
      if (Array.isArray(watchPaths)) surroundings.watch(watchPaths.filter((path) => typeof path === "string"));
    },
  });
  const fire: SessionHooks["fire"] = (event, input, signal = life.signal) => hooks.fire(event, input, { signal });
  const { configDir, cwd: root, hooks: registered } = options.snapshot();
  const surroundings = new Surroundings({
    configDir,
    sessionId: place.id,
    root,
    fire,
    hears: (event) => hooks.hears(event),
    registered: () => hooks.registered,
  });
  hooks.replace(registered.active);
  return {
    hooks,
    surroundings,
    fire,
    async close(reason) {
      surroundings.close();
      await surroundings.settled();
      await fire("SessionEnd", { reason });
      life.abort();
      await hooks.close();
      trace.close();
    },
  };
}

/** Files that hooks write variables to are numbered; a handler keeps its number as long as the session lives. */
async function openRunners(options: Omit<RunnersOptions, "numberOf">): Promise<Runners> {
  const { createRunners } = await import("./runners.ts");
  const numbers = new Map<HookRegistration["handler"], number>();
  return createRunners({
    ...options,
    numberOf({ handler }) {
      if (!numbers.has(handler)) numbers.set(handler, numbers.size);
      return numbers.get(handler)!;
    },
  });
}

/** Loaded with the runners: before there are any, nothing has happened. */
function tracer(place: SessionPlace, { now, warn }: Pick<SessionHooksOptions, "now" | "warn">) {
  let store: Awaited<ReturnType<typeof loadHookTrace>> | undefined;
  let trace: HookTrace | undefined;
  return {
    async load(): Promise<void> {
      store = await loadHookTrace();
    },
    add({ label, name, registration, input, run, reply }: Firing): void {
      if (place.path === null) return;
      trace ??= store?.openHookTrace(place.dir, place.id, {
        now,
        onFailure: (error) => warn(`Hooks go on without being traced: ${error.message}`),
      });
      trace?.add({ label, name, registration, input, run, reply });
    },
    close: () => trace?.close(),
  };
}
