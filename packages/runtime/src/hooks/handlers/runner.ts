// Runs a handler by its type: a process, an HTTP request, a model, an MCP tool or a client callback. All return the
// same report.

import type { Snapshot } from "@keelson/config";
import { folderToAvoid } from "@keelson/config/governing";
import type { ModelChoice } from "@keelson/engine";
import {
  createHookProcesses,
  createHookSlots,
  envFileFor,
  hookEnvironment,
  runHttpHook,
  shortageFix,
  shortageFixIn,
} from "@keelson/host/hooks";
import type { Programs } from "@keelson/host/programs";
import {
  isObject,
  tryParse,
  type CallbackHook,
  type CommandHook,
  type ControlResponse,
  type HookEvent,
  type HookRegistration,
  type HookRun,
  type JsonObject,
  type Usage,
} from "@keelson/protocol";
import type { FiringAgent } from "../dispatcher.ts";
import type { HookAgentPorts } from "./agent.ts";
import type { CallMcpTool } from "./mcp-tool.ts";

export interface HandlerOptions {
  readonly event: HookEvent;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** The subagent that the event happens in: it may work elsewhere, with fewer rights. */
  readonly agent?: Pick<FiringAgent, "cwd" | "hookPorts"> | undefined;
  /** The tool call that the event is about, also if its input does not name it. */
  readonly callId?: string | undefined;
  onAsync(timeoutMs: number | undefined): void;
  onOutput(stdout: string, stderr: string): void;
}

export interface Runners {
  run(registration: HookRegistration, input: JsonObject, options: HandlerOptions): Promise<HookRun>;
  /** Ends all processes that hooks left running. */
  close(): Promise<void>;
}

export interface RunnersOptions {
  sessionId(): string;
  readonly entrypoint: string;
  snapshot(): Snapshot;
  cwd(): string;
  /** Undoes changes to guarded paths, such as hook scripts. Absent if no commands run. */
  undoChanges?(): Promise<unknown>;
  /** What runs outside the shield. Absent if no commands run. */
  programs?(): Programs;
  /** The number in the name of the registration's env file. */
  numberOf(registration: HookRegistration): number;
  /** Calls a function of a client. */
  callClient(
    hook: CallbackHook,
    input: JsonObject,
    signal: AbortSignal,
    callId: string | undefined,
  ): Promise<ControlResponse["response"]>;
  callMcpTool: CallMcpTool;
  /** The named model, or the small default. */
  model(name: string | undefined): Promise<ModelChoice>;
  /** The ports of an agent hook. */
  ports(signal: AbortSignal): HookAgentPorts;
  charge(usage: Usage, model: string, durationMs: number): void;
  now(): number;
}

export function createRunners(options: RunnersOptions): Runners {
  const processes = createHookProcesses(options.programs);
  const start = async (registration: HookRegistration, input: JsonObject, how: HandlerOptions): Promise<HookRun> => {
    const { handler } = registration;
    const text = JSON.stringify(input);
    switch (handler.type) {
      case "command":
        await options.undoChanges?.();
        return processes.run(handler, text, await commandOptions(registration, effortLevel(input), how, options));
      case "http": {
        const { settings, env } = options.snapshot();
        const allowedUrls = settings["allowedHttpHookUrls"] as readonly string[] | undefined;
        const allowedEnvVars = settings["httpHookAllowedEnvVars"] as readonly string[] | undefined;
        return runHttpHook(handler, text, { ...how, env, allowedUrls, allowedEnvVars });
      }
      case "callback":
        return runCallback(handler, input, how, options);
      case "prompt": {
        const { runPromptHook } = await import("./prompt.ts");
        const model = await options.model(handler.model);
        return withShortage(await runPromptHook(handler, text, { ...options, ...how, model }));
      }
      case "agent": {
        const { runAgentHook } = await import("./agent.ts");
        const ports = how.agent ? how.agent.hookPorts : options.ports;
        const model = await options.model(handler.model);
        return withShortage(await runAgentHook(handler, text, { ...how, ports, model }));
      }
      case "mcp_tool": {
        const { runMcpToolHook } = await import("./mcp-tool.ts");
        return withShortage(await runMcpToolHook(handler, input, options.callMcpTool, how));
      }
    }
  };
  // An agent hook waits for hooks of its own calls, and a background hook may take long: they must not take the places
  // of hooks that something waits for.
  const slots = { agent: createHookSlots(), background: createHookSlots(), others: createHookSlots() };
  const slotsFor = ({ handler }: HookRegistration) => {
    if (handler.type === "agent") return slots.agent;
    return handler.type === "command" && (handler.async || handler.asyncRewake) ? slots.background : slots.others;
  };
  return {
    run(registration, input, how) {
      // A client's function needs nothing of this machine, and may itself cause events.
      if (registration.handler.type === "callback") return start(registration, input, how).catch(failedRun);
      return slotsFor(registration).run(how.signal, (leave) => {
        const onAsync = (timeoutMs: number | undefined) => {
          leave();
          how.onAsync(timeoutMs);
        };
        return start(registration, input, { ...how, onAsync }).catch(failedRun);
      });
    },
    close: () => processes.close(),
  };
}

/** A handler that cannot start must not discard the replies of the others. */
function failedRun(error: unknown): HookRun {
  const fix = shortageFix(error);
  const problem = error instanceof Error ? error.message : String(error);
  const run = { outcome: "error", stdout: "", stderr: "", durationMs: 0 } as const;
  return fix === undefined ? { ...run, problem } : { ...run, problem: `${problem}; ${fix}`, prevented: "start" };
}

/** What models and servers report are sentences. */
function withShortage(run: HookRun): HookRun {
  const fix = run.outcome === "error" && run.problem !== undefined ? shortageFixIn(run.problem) : undefined;
  return fix === undefined ? run : { ...run, problem: `${run.problem}; ${fix}`, prevented: "end" };
}

/** The options of a plugin, also those in the secret store. */
async function pluginOptionsOf(registration: HookRegistration, snapshot: Snapshot) {
  const { options, secretOptions } = registration;
  if (secretOptions === undefined) return options;
  const { secretValues } = await import("../../plugins/secret-options.ts");
  return { ...options, ...(await secretValues(registration, snapshot)) };
}

const SCOPES: Readonly<Partial<Record<HookRegistration["source"], string>>> = {
  userSettings: "user",
  policySettings: "managed",
  pluginHook: "plugin",
};

async function commandOptions(
  registration: HookRegistration,
  effort: string | undefined,
  how: HandlerOptions,
  options: RunnersOptions,
) {
  const { root, data, handler, source } = registration;
  const snapshot = options.snapshot();
  const { configDir, cwd: projectDir } = snapshot;
  const pluginOptions = await pluginOptionsOf(registration, snapshot);
  const { entrypoint } = options;
  const sessionId = options.sessionId();
  return {
    ...how,
    cwd: how.agent?.cwd() ?? options.cwd(),
    projectDir,
    root,
    env: hookEnvironment({
      childEnv: snapshot.childEnv,
      // The user's own hooks do not run programs of a folder that is not trusted, whatever its place on the PATH.
      outside: folderToAvoid(snapshot, SCOPES[source] ?? ""),
      sessionId,
      entrypoint,
      projectDir,
      ...(effort === undefined ? {} : { effort }),
      envFile: envFileFor(configDir, sessionId, how.event, options.numberOf(registration)),
      root,
      data,
      ...(pluginOptions === undefined ? {} : { pluginOptions }),
    }),
    ...((handler as CommandHook).async ? { onAsync: undefined } : {}),
  };
}

/** CLAUDE_EFFORT is set only for events whose input has `effort` (conformance: hooks, prompts). */
function effortLevel({ effort }: JsonObject): string | undefined {
  return isObject(effort) && typeof effort["level"] === "string" ? effort["level"] : undefined;
}

/** Calls a function of the client and reads its answer like a command's output. */
async function runCallback(
  hook: CallbackHook,
  input: JsonObject,
  { signal, timeoutMs, callId }: HandlerOptions,
  { callClient, now }: RunnersOptions,
): Promise<HookRun> {
  const started = now();
  const { timeout } = hook;
  const end = (run: Pick<HookRun, "outcome" | "stdout"> & Partial<HookRun>): HookRun => ({
    stderr: "",
    durationMs: now() - started,
    ...run,
  });
  // Callbacks have no default timeout.
  const late = timeout === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const until = late ? AbortSignal.any([signal, late]) : signal;
  const answer = await callClient(hook, input, until, callId);
  if (late?.aborted) return end({ outcome: "cancelled", stdout: "", problem: `no answer within ${timeout} s` });
  if (answer.subtype === "error") return end({ outcome: "error", stdout: "", problem: answer.error });
  const body = answer.response ?? {};
  return end({ outcome: "success", exitCode: 0, stdout: textOf(body) });
}

const textOf = (body: unknown) =>
  typeof body === "string" && tryParse(body) !== undefined ? body : JSON.stringify(body);
