// One session at a terminal, from the questions before it to the words after it.

import { reload, type Snapshot } from "@keelson/config";
import { readGlobalState, type GlobalState } from "@keelson/config/global-state";
import type * as Tui from "@keelson/tui";
import type { TerminalOutcome, WhichSession } from "@keelson/tui";
import type { Debug } from "../open.ts";
import { loadOptions, type ProcessIO } from "../process/process-io.ts";
import { keyAnswer, openQuestions } from "./before/open-questions.ts";
import { resumeCommand, type TerminalInvocation } from "./choice.ts";
import { watchEndings, type Endings } from "./endings.ts";
import { failureWords } from "./failure.ts";
import { isResumable } from "./resumable.ts";
import { createHost, type ProgramHost } from "./host.ts";
import { isScreenReader, screenDefaults } from "./screen-settings.ts";
import { openTerminalPort, type TerminalPort } from "./terminal/port.ts";

export interface AtTerminal {
  readonly tui: typeof Tui;
  readonly snapshot: Snapshot;
  readonly invocation: TerminalInvocation;
  readonly io: ProcessIO;
}

/** Returns the exit code. */
export async function runAtTerminal({ tui, snapshot, invocation, io }: AtTerminal): Promise<number> {
  const started = performance.now();
  const port = openTerminalPort({ isTerminal: io.terminal.stdin });
  let host: ProgramHost | undefined;
  const endings = watchEndings(io, port, (error) => failureWords(error, host?.current(), snapshot));
  try {
    const state = readGlobalState(snapshot);
    let beginning: Beginning | number = withChosenKey(
      { snapshot, io, first: firstSession(invocation), notices: [] },
      state,
    );
    if (invocation.pick !== undefined || openQuestions({ ...beginning, state }).length > 0) {
      const { askBefore } = await import("./before/ask-before.ts");
      beginning = await askBefore(beginning, { tui, port, end: endings.signal, invocation });
    }
    if (typeof beginning === "number") return endings.code() ?? beginning;

    const debug = await openDebugFile(invocation, beginning);
    const told = beginning;
    host = createHost({
      io: beginning.io,
      port,
      snapshot: beginning.snapshot,
      invocation,
      first: beginning.first,
      screenReader: isScreenReader(invocation, beginning.snapshot),
      defaults: screenDefaults(state),
      notices: [...beginning.snapshot.warnings, ...beginning.notices],
      end: endings.signal,
      ...(debug ? { debug } : {}),
      opened: () => void noteLater(told, (text) => host?.say(text)),
    });
    const outcome = await outcomeOf(tui, host, endings);
    return await finish(host, outcome, { endings, port, io, snapshot: beginning.snapshot, started });
  } finally {
    endings.stop();
    await port.close();
  }
}

/** What the questions before a session decided. */
export interface Beginning {
  readonly snapshot: Snapshot;
  /** Without a key that the user does not want to use. */
  readonly io: ProcessIO;
  readonly first: WhichSession;
  /** What went wrong on the way. */
  readonly notices: readonly string[];
}

/** The user may have said that a key in the environment is not to be used. */
function withChosenKey(beginning: Beginning, state: GlobalState): Beginning {
  const { io, snapshot } = beginning;
  if (keyAnswer(io.env, state) !== "rejected") return beginning;
  const { ANTHROPIC_API_KEY: _, ...env } = io.env;
  return { ...beginning, io: { ...io, env }, snapshot: reload({ ...snapshot, origin: { ...snapshot.origin, env } }) };
}

function firstSession({ session }: TerminalInvocation): WhichSession {
  if (session.kind !== "resume") return { kind: session.kind };
  return { kind: "resume", id: session.target ?? "", ...(session.fork ? { fork: true } : {}) };
}

async function outcomeOf(tui: typeof Tui, host: ProgramHost, endings: Endings): Promise<TerminalOutcome> {
  try {
    return await tui.runTerminal(host);
  } catch (error) {
    endings.fail(error);
    return { code: 1 };
  }
}

interface End {
  readonly endings: Endings;
  readonly port: TerminalPort;
  readonly io: ProcessIO;
  readonly snapshot: Snapshot;
  readonly started: number;
}

async function finish(host: ProgramHost, outcome: TerminalOutcome, end: End): Promise<number> {
  const { endings, port, io, snapshot, started } = end;
  const isClean = endings.code() === undefined;
  const current = host.current();
  await host.close(isClean ? "interrupt" : "terminate").catch((error: unknown) => endings.fail(error));
  await port.close();
  const failure = endings.failure();
  if (failure !== undefined) io.error(failureWords(failure, current, snapshot));
  else if (outcome.lastWords !== undefined && outcome.code !== 0) io.error(outcome.lastWords);
  else if (outcome.lastWords !== undefined) await print(outcome.lastWords, io);
  // What failed says it itself.
  if (failure === undefined && current && isResumable(current, snapshot))
    await print(`To resume this session: ${resumeCommand(current.session.id)}`, io);
  if (isClean && current !== undefined) {
    const { noteEnd } = await import("./bookkeeping.ts");
    const { result } = current.tally;
    const duration = performance.now() - started;
    await noteEnd(snapshot, { sessionId: current.session.id, duration, ...(result ? { result } : {}) });
  }
  return endings.code() ?? outcome.code;
}

/** The window may be closed. */
async function print(line: string, io: ProcessIO): Promise<void> {
  try {
    await io.write(`${line}\n`);
  } catch {
    // No one reads it, and the code of the signal says what happened.
  }
}

/** Nobody waits for what is looked at then. */
const SETTLED_MS = 500;

/** After the prompt is there: writing may take a while. */
async function noteLater({ snapshot, io }: Beginning, say: (text: string) => void): Promise<void> {
  const { noteStart } = await import("./bookkeeping.ts");
  await noteStart(snapshot, Date.now());
  await new Promise<void>((resolve) => setTimeout(resolve, SETTLED_MS).unref());
  const { misspelledKeys } = await import("../commands/config/misspelled.ts");
  // What cannot be read was reported at the start.
  for (const line of await misspelledKeys(loadOptions(io, snapshot.flags)).catch(() => [])) say(line);
}

/** Standard error is the screen, so a log goes to a file. */
async function openDebugFile({ debug }: TerminalInvocation, { snapshot, io }: Beginning): Promise<Debug | undefined> {
  if (debug === undefined) return undefined;
  const { openDebug } = await import("../debug.ts");
  const { newLogFile } = await import("./log-file.ts");
  const file = debug.file ?? (io.env["CLAUDE_CODE_DEBUG_LOGS_DIR"] ? undefined : newLogFile(snapshot, "debug"));
  return openDebug({ ...debug, file }, io);
}
