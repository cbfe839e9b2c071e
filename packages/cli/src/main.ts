// The program: parses arguments, loads settings, opens a session, hands it to a front end, and returns an exit code.
// Only the flag table is loaded until the arguments have been checked.

import { COMPATIBLE_VERSION, VERSION, type AttachOptions } from "@keelson/protocol";
import { parseArguments, type Arguments } from "./args/args.ts";
import { commandIn, helpAsked, type ProgramCommand } from "./commands.ts";
import { toInvocation, UsageError, type Invocation } from "./args/invocation.ts";
import { handleSignals, type Signals } from "./process/signals.ts";
import { isOpenError, loadOptions, printError, printWarning, type ProcessIO } from "./process/process-io.ts";

const NO_INPUT = "no prompt; input must be provided either through stdin or as a prompt argument when using --print";

/** Runs once and returns the exit code. */
export async function main(argv: readonly string[], io: ProcessIO): Promise<number> {
  const command = commandIn(argv);
  if (command !== undefined) return runCommand(command, argv.slice(1), io);
  const asked = helpAsked(argv);
  if (asked !== undefined) return asked.command ? runCommand(asked.command, ["--help"], io) : showHelp(io);
  if (argv[0] !== undefined && !argv[0].startsWith("-")) {
    const { unknownCommand } = await import("./args/unknown-command.ts");
    const problem = unknownCommand(argv);
    if (problem !== undefined) return printError(io, problem);
  }
  const parsed = parseArguments(argv);
  if (!parsed.ok) return printError(io, parsed.error);
  const given = parsed.arguments;
  if (given.has("version")) return say(io, `${COMPATIBLE_VERSION} (Keelson ${VERSION})\n`);
  if (given.has("help")) return showHelp(io);

  if (given.has("await-claim")) return (await import("./claim/await-claim.ts")).awaitClaim(argv, io, main);

  const state = io.env["KEELSON_STATE_DIR"];
  if (state) io = (await import("./process/nested-state.ts")).withNestedState(io, state);
  try {
    if (given.has("tmux")) return await (await import("./interactive/in-tmux.ts")).startInTmux(argv, given, io);
    if (!isHeadless(given, io)) return await (await import("./interactive.ts")).beInteractive(given, io);
    return await runHeadless(given, toInvocation(given, io.cwd), io);
  } catch (error) {
    if (error instanceof UsageError) return printError(io, error.message);
    throw error;
  }
}

async function showHelp(io: ProcessIO): Promise<number> {
  return say(io, (await import("./args/help.ts")).help());
}

async function runCommand(command: ProgramCommand, argv: readonly string[], io: ProcessIO): Promise<number> {
  try {
    return await command.run(argv, io);
  } catch (error) {
    // The reader closed the pipe, as `head` does.
    if ((error as NodeJS.ErrnoException).code === "EPIPE") return 0;
    throw error;
  }
}

/** Interactive only with a terminal to write to and keys to read. Clients that send stream-json do not pass `-p`. */
function isHeadless(given: Arguments, { terminal }: ProcessIO): boolean {
  const streams = given.text("input-format") === "stream-json";
  const hasTerminal = terminal.stdout && (terminal.stdin || terminal.stdinIsNull === true);
  return given.has("print") || given.has("init-only") || streams || !hasTerminal;
}

async function runHeadless(given: Arguments, invocation: Invocation, io: ProcessIO): Promise<number> {
  const why = invocation.setupOnly ? undefined : io.whyUnwritable?.();
  // Before anything is asked that costs money.
  if (why !== undefined) return printError(io, why);
  const lease = given.text("lease-file");
  if (lease && !(await import("./process/lease-end.ts")).endWithLease(lease, io)) return 1;
  const signals = handleSignals(io, { calm: invocation.output === "stream-json" });
  try {
    const needsNone = invocation.streamInput || invocation.setupOnly;
    const prompt = needsNone ? invocation.prompt : await textPrompt(given, invocation, io);
    const code = await runSession(given, { ...invocation, prompt }, io, signals);
    return signals.code() ?? code;
  } finally {
    signals.stop();
  }
}

/** Undefined if there is none and an agent may know what to begin with. */
async function textPrompt(given: Arguments, { prompt, flags }: Invocation, io: ProcessIO): Promise<string | undefined> {
  const { gatherPrompt } = await import("@keelson/stdio");
  const gathered = await gatherPrompt({
    argument: prompt,
    piped: io.terminal.stdin || io.terminal.stdinIsNull ? undefined : io.stdin(),
    wait: (ms, signal) => io.wait(ms, signal),
    note: (text) => io.error(text),
  });
  switch (gathered.kind) {
    case "prompt":
      return gathered.text;
    case "too_long":
      throw new UsageError(gathered.message);
    case "none": {
      const { swallowed } = given;
      if (flags.agent !== undefined) return undefined;
      if (swallowed === undefined) throw new UsageError(NO_INPUT);
      const { flag, word } = swallowed;
      throw new UsageError(`no prompt; --${flag} took "${word}" as a value, so put the prompt before it or after --`);
    }
  }
}

async function runSession(given: Arguments, invocation: Invocation, io: ProcessIO, signals: Signals): Promise<number> {
  if (invocation.flags.pluginDirs === undefined) return openSession(given, invocation, io, signals);
  const { withUnpackedPlugins } = await import("./plugin-archives.ts");
  return withUnpackedPlugins(invocation.flags, io, (flags) =>
    openSession(given, { ...invocation, flags }, io, signals),
  );
}

async function openSession(given: Arguments, invocation: Invocation, io: ProcessIO, signals: Signals): Promise<number> {
  const { load, ConfigError } = await import("@keelson/config");
  const { output, streamInput, partial, replay, session: choice, prompt, teammate } = invocation;
  const answers = { permissions: invocation.stdioPermissions, requests: streamInput };
  const log = invocation.debug && (await import("./debug.ts"));
  const debug = log?.openDebug(invocation.debug!, io);
  for (const flag of given.ignored) debug?.("config", () => `--${flag} has no effect in this version`);

  let session;
  try {
    const snapshot = load({ ...loadOptions(io, invocation.flags), quick: true });
    for (const warning of snapshot.warnings) printWarning(io, warning);
    debug?.("config", () => log!.describeSnapshot(snapshot));
    const sessions = await io.sessions();
    session = await sessions.open({
      front: teammate ? "teammate" : streamInput ? "stream" : "prompt",
      snapshot,
      entrypoint: io.env["CLAUDE_CODE_ENTRYPOINT"] || "sdk-cli",
      session: choice,
      join: invocation.join,
      answers,
      ...(invocation.worktree ? { worktree: invocation.worktree } : {}),
      ...(invocation.setup ? { setup: invocation.setup } : {}),
      ...(teammate ? { teammate } : {}),
      ...(debug ? { debug } : {}),
      warn: (text) => printWarning(io, text),
    });
  } catch (error) {
    if (error instanceof ConfigError) return printError(io, error.message);
    if (isOpenError(error)) return (await import("./not-opened.ts")).notOpened(error, invocation, io);
    throw error;
  }
  signals.watchOver(session);
  if (session.announce !== undefined) io.error(session.announce);

  if (invocation.setupOnly) {
    await session.close("end_of_input");
    return 0;
  }
  if (!streamInput && prompt === undefined && session.initialPrompt === undefined) {
    await session.close("interrupt");
    return printError(io, NO_INPUT);
  }
  const streams = {
    stdin: streamInput ? io.stdin() : nothing(),
    write: (chunk: string) => io.write(chunk),
    error: (line: string) => io.error(line),
    ...(io.isOrphan === undefined ? {} : { isOrphan: () => io.isOrphan!() }),
  };
  const { hookEvents, agentText, mirror, liveCalls } = invocation;
  const attach: AttachOptions = {
    name: "program",
    view: {
      partial,
      hookEvents,
      mirror,
      replayPrompts: replay,
      ...(agentText ? { agentText } : {}),
      ...(liveCalls ? { liveCalls } : {}),
      // The client of a teammate is its lead, which passes questions on.
      ...(teammate ? { toolMeta: true } : {}),
    },
    answers,
  };
  if (output === "stream-json") {
    // Without any prompt, the agent's own one is sent in place of this empty one.
    const said = prompt ?? (streamInput ? undefined : "");
    const { streamJson } = await import("@keelson/stdio/stream-json");
    return streamJson(session, streams, {
      attach,
      input: streamInput,
      replay,
      ...(said === undefined ? {} : { prompt: said }),
    });
  }
  const { json, text } = await import("@keelson/stdio/text");
  if (output === "json") return json(session, streams, { attach, prompt: prompt ?? "", all: invocation.verbose });
  return text(session, streams, { attach, prompt: prompt ?? "" });
}

async function say(io: ProcessIO, text: string): Promise<number> {
  try {
    await io.write(text);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
  }
  return 0;
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
