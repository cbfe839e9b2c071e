// Runs one command for Bash and PowerShell, in the foreground or background, with limits. Loaded with the first command.

import { lastLines, ToolError, type BackgroundCommand, type ShellResult, type ToolContext } from "@keelson/engine";
import { isVariableOn } from "@keelson/protocol";
import type { BashInput, BashOutput, CommandKind } from "./command-tool.ts";
import { exitMeaning, isSilent } from "./exit-meaning.ts";
import { imageBlock, MAX_IMAGE_LENGTH, startsLikeImage } from "./image.ts";
import { longestTimeout, maxOutputFor, timeoutFor } from "./limits.ts";
import { cutOutput, failureText, trimOutput } from "./show-result.ts";

export function executeCommand(input: BashInput, context: ToolContext, options: RunOptions): Promise<BashOutput> {
  return input.run_in_background ? runInBackground(input, context, options) : runAndWait(input, context, options);
}

interface RunOptions {
  readonly cwd: string;
  /** Whether the user may move it to the background. */
  readonly mayMove: boolean;
  readonly kind: CommandKind;
}

async function runInBackground(
  input: BashInput,
  { shell, toolUseId, owner }: ToolContext,
  { cwd, kind }: RunOptions,
): Promise<BashOutput> {
  const started = await shell.background(kind.script?.(input.command) ?? input.command, {
    cwd,
    ...(kind.script && { shownAs: input.command }),
    description: input.description ?? input.command,
    toolUseId,
    ...(owner === undefined ? {} : { owner }),
    ...sandboxOption(input),
  });
  return { ...emptyOutput(input, kind), ...inBackground(started) };
}

const inBackground = ({ id, outputPath }: BackgroundCommand) => ({
  backgroundTaskId: id,
  backgroundOutputPath: outputPath,
});

async function runAndWait(
  input: BashInput,
  context: ToolContext,
  { cwd, mayMove, kind }: RunOptions,
): Promise<BashOutput> {
  const { shell, signal, toolUseId, owner, env, seen, printed } = context;
  const timeoutMs = timeoutFor(input.timeout, env);
  const start = Date.now();
  const result = await shell.run(kind.script?.(input.command) ?? input.command, {
    cwd,
    ...(kind.script && { shownAs: input.command }),
    timeoutMs,
    signal,
    maxOutput: maxOutputFor(env),
    id: toolUseId,
    ...(printed && { printed }),
    task: { description: input.description ?? input.command, mayMove, ...(owner === undefined ? {} : { owner }) },
    ...sandboxOption(input),
  });
  seen.commandRan(start, Date.now());
  if (result.movedTo) return { ...emptyOutput(input, kind), ...inBackground(result.movedTo), backgroundedByUser: true };
  const moved = result.cwd === null || result.cwd === cwd ? "" : followShell(result.cwd, context);
  const stderr = [...(moved === "" ? [] : [moved]), ...(result.notes ?? [])].join("\n");

  if (result.aborted) return { ...emptyOutput(input, kind), ...outputFields(result), stderr, interrupted: true };
  const meaning = result.code === null ? undefined : meaningOf(input.command, result.code, kind);
  if (result.timedOut || (result.code !== 0 && meaning === undefined)) {
    const failure = failureText(result, { timeoutMs, longestMs: longestTimeout(env), background: mayMove });
    throw new ToolError([failure, ...(stderr === "" ? [] : [stderr])].join("\n"));
  }
  const image = await findImage(result, context);
  return {
    ...emptyOutput(input, kind),
    ...(image === null ? outputFields(result) : { stdout: image, isImage: true }),
    stderr,
    ...(meaning === undefined ? {} : { returnCodeInterpretation: meaning }),
  };
}

const isBash = ({ script }: CommandKind) => script === undefined;

function meaningOf(command: string, code: number, kind: CommandKind): string | undefined {
  return isBash(kind) ? exitMeaning(command, code) : undefined;
}

function sandboxOption(input: BashInput): { sandbox?: "off" } {
  return input.dangerouslyDisableSandbox ? { sandbox: "off" } : {};
}

/** Moves the session to the shell's final directory, or back to the project root if that directory is not allowed. */
function followShell(cwd: string, { workspace, env }: ToolContext): string {
  const stays = isVariableOn(env["CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR"]);
  if (!stays && workspace.move(cwd)) return "";
  workspace.move(workspace.root);
  return `Shell cwd was reset to ${workspace.cwd}`;
}

function emptyOutput(input: BashInput, kind: CommandKind): BashOutput {
  return {
    stdout: "",
    stderr: "",
    interrupted: false,
    isImage: false,
    noOutputExpected: isBash(kind) && isSilent(input.command),
    ...(input.dangerouslyDisableSandbox ? { dangerouslyDisableSandbox: true } : {}),
  };
}

function outputFields(result: ShellResult): Partial<BashOutput> {
  if (result.path !== null) {
    return {
      stdout: trimOutput(result.text),
      persistedOutputPath: result.path,
      persistedOutputSize: result.size,
      ...(result.tail === "" ? {} : { persistedOutputEnd: lastLines(result.tail) }),
    };
  }
  return { stdout: trimOutput(result.tail === "" ? result.text : cutOutput(result)) };
}

/** The image a command printed as a data URI. Read from the saved file if it is longer than the text we keep. */
async function findImage(result: ShellResult, { files }: ToolContext): Promise<string | null> {
  if (!startsLikeImage(result.text) || result.size > MAX_IMAGE_LENGTH) return null;
  const text =
    result.path === null
      ? result.text
      : new TextDecoder().decode(await files.read(result.path, { maxBytes: MAX_IMAGE_LENGTH }));
  return imageBlock(text) === null ? null : text.trim();
}
