// Runs one handler for one event: shows it on the stream, reads its reply, and lets it continue in the background.
// Loaded when the first hook runs.

import { nudge, reminder } from "@keelson/engine";
import {
  handlerName,
  readBackgroundReply,
  readReply,
  hookTimeout,
  type HookReply,
  type BackgroundReply,
} from "@keelson/engine/hooks";
import {
  asReminder,
  type HookEvent,
  type HookRegistration,
  type HookRun,
  type JsonObject,
  type NewEntry,
  type Signal,
  type SystemMessages,
  type SystemSignal,
  type SystemSubtype,
} from "@keelson/protocol";
import type { FiringAgent } from "./dispatcher.ts";
import type { Runners } from "./handlers/runner.ts";

/** One handler that matched an event, and the input it gets. */
export interface HandlerTask {
  readonly registration: HookRegistration;
  readonly label: string;
  readonly input: JsonObject;
  /** The tool call that the event is about. */
  readonly callId?: string;
}

/** What happened when a handler ran. */
export interface Firing extends HandlerTask {
  readonly event: HookEvent;
  /** The handler's name in messages. */
  readonly name: string;
  readonly run: HookRun;
  readonly reply: HookReply;
}

export interface HandlerHost {
  /** Whether every hook is shown on the stream. */
  includeEvents(): boolean;
  runners(): Promise<Runners>;
  show(signal: Signal): void | Promise<void>;
  /** A message for the model from an asynchronous hook. */
  notify(entry: NewEntry, how: { readonly wakes: boolean }): void;
  /** Records the run for `keelson hooks trace`. */
  trace(firing: Firing): void;
  newId(): string;
  reportProblem(problem: string): void;
  inform(content: string, more: InformDetails, level: "warning" | "notice"): void;
  /** Called with the rest of a hook that continues in the background. */
  continueInBackground(rest: Promise<void>): void;
  isClosed(): boolean;
}

export interface HandlerCircumstances {
  readonly signal: AbortSignal;
  /** Overrides the handler's own timeout. */
  readonly budgetMs: number | undefined;
  /** Undefined for the session's own. */
  readonly agent: FiringAgent | undefined;
}

/** Returns the reply, or undefined if the hook continues in the background. */
export async function runHandler(
  task: HandlerTask,
  { signal, budgetMs, agent }: HandlerCircumstances,
  host: HandlerHost,
): Promise<HookReply | undefined> {
  const { registration, label, input, callId } = task;
  const { handler, event } = registration;
  const id = host.newId();
  const runners = await host.runners();
  showOnStream(task, { subtype: "hook_started", hook_id: id }, host);

  const { promise: detached, resolve: detach } = Promise.withResolvers<"detached">();
  const running = runners.run(registration, input, {
    event,
    signal,
    timeoutMs: budgetMs ?? hookTimeout(registration),
    agent,
    callId,
    onAsync: () => detach("detached"),
    onOutput: (stdout, stderr) =>
      showOnStream(task, { subtype: "hook_progress", hook_id: id, stdout, stderr, output: stdout + stderr }, host),
  });
  const finished = running.then((run) => {
    const { stdout, stderr, exitCode, outcome } = run;
    const exit = exitCode === undefined ? {} : { exit_code: exitCode };
    const output = stdout + stderr;
    showOnStream(task, { subtype: "hook_response", hook_id: id, output, stdout, stderr, ...exit, outcome }, host);
    const reply = readReply(run, { event, label, handler });
    host.trace({ event, label, name: handlerName(handler), registration, input, run, reply });
    return { run, reply };
  });

  const isAsync = handler.type === "command" && (handler.async === true || handler.asyncRewake === true);
  const first = isAsync ? "detached" : await Promise.race([finished, detached]);
  if (first === "detached") {
    const rest = finished.then(
      ({ run }) => deliverLate(label, readBackgroundReply(run, { event, label, handler }), host),
      () => undefined,
    );
    host.continueInBackground(rest);
    return undefined;
  }
  reportReply(task, first.reply, host);
  return first.reply;
}

function reportReply({ registration, label }: HandlerTask, reply: HookReply, host: HandlerHost): void {
  const { problem, systemMessage } = reply;
  if (problem !== undefined) {
    host.reportProblem(`${label} hook ${problem}`);
    if (registration.event === "Stop" || registration.event === "SubagentStop") notifyStopFailed(host);
  }
  if (systemMessage !== undefined) host.inform(`${label} says: ${systemMessage}`, {}, "notice");
}

/** A background hook can no longer block anything, but its text still reaches the model. */
function deliverLate(label: string, { text, wakes, problem }: BackgroundReply, host: HandlerHost): void {
  if (problem !== undefined && !host.isClosed()) host.reportProblem(`${label} hook ${problem}`);
  if (text === undefined) return;
  const id = host.newId();
  // Only a nudge starts a request; a reminder waits for the next one.
  const entry = wakes ? nudge(asReminder(text), id) : reminder(text, id);
  host.notify(entry, { wakes });
}

/** What an `informational` message has besides its text. */
export type InformDetails = Pick<SystemMessages["informational"], "prevent_continuation" | "tool_use_id">;

type HookFacts<Subtype extends SystemSubtype> = Omit<SystemSignal<Subtype>, "type" | "hook_name" | "hook_event">;

/**
 * SessionStart and Setup hooks are always shown, callbacks of a client never (conformance: hooks, start-and-end;
 * protocol, hooks).
 */
function showOnStream(
  { registration, label }: HandlerTask,
  body: HookFacts<"hook_started"> | HookFacts<"hook_progress"> | HookFacts<"hook_response">,
  { includeEvents, show }: HandlerHost,
): void {
  const { event, handler } = registration;
  const isShown = includeEvents() || event === "SessionStart" || event === "Setup";
  if (!isShown || handler.type === "callback") return;
  void show({ type: "system", hook_name: label, hook_event: event, ...body });
}

/** Clients show it for a moment (conformance: hooks, stopping). */
function notifyStopFailed({ show }: HandlerHost): void {
  const notification = { key: "stop-hook-error", text: "A Stop hook failed", priority: "immediate" } as const;
  void show({ type: "system", subtype: "notification", ...notification });
}
