// Tries hooks on a sample event in a copy of the project, with the same matching, runners and parsing as in a session.
// Hooks that call a model or an MCP server are listed, not run.

import { dirname } from "node:path";
import type { Snapshot } from "@keelson/config";
import type { HookReply, BackgroundReply } from "@keelson/engine/hooks";
import { createSearch, programCache } from "@keelson/host";
import type { HookEvent, HookOutcome, HookRegistration, HookRun, JsonObject, PermissionMode } from "@keelson/protocol";
import { openExplainer } from "../../gate/explain-call.ts";
import type { ShippedPrograms } from "../../session/open-options.ts";
import { modelView, type ModelView } from "./model-view.ts";
import { rebasePaths, sampleEvent } from "./sample-event.ts";
import { scratchCopy, type ScratchCopy } from "./scratch-copy.ts";

export interface TryOutOptions {
  readonly snapshot: Snapshot;
  readonly event: HookEvent;
  readonly tool?: string;
  /** For tool events, the tool's input; for others, fields of the event. */
  readonly input?: JsonObject;
  readonly mode?: PermissionMode;
  readonly programs?: ShippedPrograms;
  readonly signal: AbortSignal;
}

export interface TryOut extends ModelView {
  readonly event: HookEvent;
  readonly label: string;
  readonly input: JsonObject;
  readonly ran: readonly TriedHook[];
  /** Hooks that match but call a model or a server, and were not run. */
  readonly named: readonly HookRegistration[];
  /** Hooks of this event that do not match. */
  readonly passed: readonly SkippedHook[];
  readonly outcome: HookOutcome;
  readonly copy: Pick<ScratchCopy, "files" | "bytes" | "leftOut">;
}

export interface TriedHook {
  readonly registration: HookRegistration;
  readonly run: HookRun;
  readonly reply: HookReply;
  /** Set if it ran in the background, where it cannot block anything. */
  readonly late?: BackgroundReply;
}

export interface SkippedHook {
  readonly registration: HookRegistration;
  readonly why: string;
}

export type TriedOut =
  { readonly ok: true; readonly result: TryOut } | { readonly ok: false; readonly message: string };

export async function tryOut(options: TryOutOptions): Promise<TriedOut> {
  const { snapshot, event, tool, input: given, signal, programs } = options;
  const { cwd, childEnv } = snapshot;
  const sample = sampleEvent({ event, cwd, ...(tool === undefined ? {} : { tool }), ...(given ? { given } : {}) });
  if (!sample.ok) return sample;
  const engine = await import("@keelson/engine/hooks");

  const here = snapshot.hooks.active.filter((each) => each.event === event);
  const subject = engine.matcherSubject(event, sample.own);
  const chosen = await engine.selectHooks(here, event, subject, conditions(snapshot, sample.own));
  const matching = await engine.selectHooks(here, event, subject, () => true);
  const runs = chosen.filter(({ handler }) => handler.type === "command" || handler.type === "http");

  const search = createSearch({
    env: childEnv,
    cacheDir: programCache(snapshot),
    ...(programs?.ripgrep ? { embedded: programs.ripgrep } : {}),
  });
  const copy = await scratchCopy(cwd, search, signal);
  try {
    const base = {
      session_id: crypto.randomUUID() as string,
      transcript_path: copy.transcript,
      cwd: copy.dir,
      ...(BEFORE_PROMPTS.has(event) ? {} : { prompt_id: crypto.randomUUID() }),
      permission_mode: options.mode ?? snapshot.mode,
      ...(snapshot.flags.effort === undefined ? {} : { effort: { level: snapshot.flags.effort } }),
    };
    const input = engine.hookInput(event, base, rebasePaths(sample.own, cwd, copy.dir));
    const label = engine.eventLabel(event, sample.own);
    const ran = await runAll(runs, { ...options, copy, input, label, sessionId: base.session_id });
    const outcome = engine.foldReplies(ran.map(({ reply }) => reply));
    const result: Omit<TryOut, "copy"> = {
      event,
      label,
      input,
      ran,
      named: chosen.filter((each) => !runs.includes(each)),
      passed: [
        ...skippedHooks(here, { matching, chosen, subject }, engine.hookProblem),
        ...disabledHooks(snapshot, event),
      ],
      outcome,
      ...modelView(event, outcome),
    };
    const { files, bytes, leftOut } = copy;
    return { ok: true, result: { ...rebasePaths(result, copy.dir, cwd), copy: { files, bytes, leftOut } } };
  } finally {
    await copy.remove();
  }
}

/** Events before the first prompt, which have no prompt id. */
const BEFORE_PROMPTS: ReadonlySet<HookEvent> = new Set(["Setup", "SessionStart"]);

interface Running extends TryOutOptions {
  readonly copy: ScratchCopy;
  readonly input: JsonObject;
  readonly label: string;
  readonly sessionId: string;
}

/** Runs all hooks at once, as in a session, but also waits for background hooks to show their output. */
async function runAll(registrations: readonly HookRegistration[], running: Running): Promise<TriedHook[]> {
  const { readBackgroundReply, readReply, hookTimeout } = await import("@keelson/engine/hooks");
  const { createRunners } = await import("../handlers/runner.ts");
  const { snapshot, copy, input, label, signal, sessionId, event } = running;
  const runners = createRunners({
    sessionId: () => sessionId,
    entrypoint: "hooks-test",
    // Env files go into the copy too.
    snapshot: () => ({ ...snapshot, cwd: copy.dir, configDir: dirname(copy.dir) }),
    cwd: () => copy.dir,
    numberOf: (registration) => snapshot.hooks.active.indexOf(registration),
    callClient: unavailable,
    callMcpTool: () => undefined,
    model: unavailable,
    ports: () => {
      throw new Error("Cannot call a model while trying hooks");
    },
    charge: () => undefined,
    now: () => performance.now(),
  });
  try {
    return await Promise.all(
      registrations.map(async (registration) => {
        const { handler } = registration;
        let isAsync = handler.type === "command" && (handler.async === true || handler.asyncRewake === true);
        const run = await runners.run(registration, input, {
          event,
          signal,
          timeoutMs: hookTimeout(registration),
          onAsync: () => void (isAsync = true),
          onOutput: () => undefined,
        });
        const about = { event, label, handler };
        if (!isAsync) return { registration, run, reply: readReply(run, about) };
        return { registration, run, reply: { context: [], async: {} }, late: readBackgroundReply(run, about) };
      }),
    );
  } finally {
    await runners.close();
  }
}

async function unavailable(): Promise<never> {
  throw new Error("Cannot call the client or a model while trying hooks");
}

/** Tests `if` rules against the call. */
function conditions(snapshot: Snapshot, { tool_name: tool, tool_input: input }: JsonObject) {
  const { cwd, home, directories } = snapshot;
  return async (rule: string): Promise<boolean> => {
    if (typeof tool !== "string") return false;
    const call = { tool, input: (input ?? {}) as JsonObject };
    const { loadConditions } = await import("@keelson/engine/hooks");
    const [{ ifMatcher }, access] = await Promise.all([loadConditions(), openExplainer(snapshot).access(call)]);
    return ifMatcher({ ...call, access, cwd, home, directories: [cwd, ...directories] })(rule);
  };
}

function skippedHooks(
  here: readonly HookRegistration[],
  {
    matching,
    chosen,
    subject,
  }: { matching: readonly HookRegistration[]; chosen: readonly HookRegistration[]; subject: string | undefined },
  whyIdle: (registration: HookRegistration) => string | undefined,
): SkippedHook[] {
  const handlers = new Set(chosen.map(({ handler }) => JSON.stringify(handler)));
  const why = (registration: HookRegistration): string => {
    const { matcher, handler } = registration;
    const idle = whyIdle(registration);
    if (idle !== undefined) return idle;
    if (handlers.has(JSON.stringify(handler))) return "It duplicates another hook; identical hooks run once";
    if (matching.includes(registration)) return `Its "if" rule ${handler.if} does not match this call`;
    return `Its matcher ${matcher} does not match ${subject ?? "this event"}`;
  };
  return here
    .filter((each) => !chosen.includes(each))
    .map((registration) => ({ registration, why: why(registration) }));
}

const disabledHooks = ({ hooks }: Snapshot, event: HookEvent): readonly SkippedHook[] =>
  hooks.off.filter(({ registration }) => registration.event === event);

export { findTrace, type FoundTrace } from "./find-trace.ts";
export type { HookFiring } from "@keelson/store/hook-trace";
export {
  EVENT_FACTS,
  foldReplies,
  handlerName,
  hookProblem,
  type HookReply,
  type BackgroundReply,
} from "@keelson/engine/hooks";
export { modelView, type ModelView } from "./model-view.ts";
