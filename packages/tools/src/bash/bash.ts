// Bash: runs one command. The host provides the shell, enforces the timeout, and kills processes.

import {
  boolean,
  defineTool,
  number,
  object,
  optional,
  persistedNotice,
  string,
  ToolError,
  type BackgroundCommand,
  type ShellResult,
  type Tool,
  type ToolContext,
} from "@keelson/engine";
import description from "./bash.md" with { type: "text" };
import { exitMeaning, isSilent } from "./exit-meaning.ts";
import { imageBlock, MAX_IMAGE_LENGTH, startsLikeImage } from "./image.ts";
import { maxOutputFor, MAX_OUTPUT, timeoutFor } from "./limits.ts";
import { cutOutput, failureText, trimOutput } from "./show-result.ts";

export interface BashInput {
  readonly command: string;
  readonly timeout?: number;
  readonly description?: string;
  readonly run_in_background?: boolean;
  readonly dangerouslyDisableSandbox?: boolean;
}

export interface BashOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly interrupted: boolean;
  readonly isImage: boolean;
  readonly noOutputExpected: boolean;
  readonly returnCodeInterpretation?: string;
  readonly backgroundTaskId?: string;
  readonly backgroundOutputPath?: string;
  readonly backgroundedByUser?: boolean;
  readonly persistedOutputPath?: string;
  readonly persistedOutputSize?: number;
  readonly dangerouslyDisableSandbox?: boolean;
}

export interface BashOptions {
  /** Whether a command is read-only and may run in parallel. Defaults to the engine's check. */
  readonly readOnly?: (command: string) => boolean | Promise<boolean>;
  /** Whether commands may run in the background. Defaults to true. */
  readonly background?: boolean;
}

const IN_BACKGROUND = optional(boolean("Run in the background and return at once; output goes to a file you can read"));

export function bashTool({ readOnly = isReadOnly, background = true }: BashOptions = {}): Tool<BashInput, BashOutput> {
  // Run in the directory the gate checked, even if another call has changed the session's directory since.
  const judged = new WeakMap<ToolContext, string>();
  const folderOf = (context: ToolContext) => judged.get(context) ?? context.workspace.cwd;
  return defineTool<BashInput, BashOutput>({
    name: "Bash",
    description: background ? description : description.replace(/^- `run_in_background`.*\n/m, ""),
    input: object({
      command: string("The command to run"),
      timeout: optional(number("Timeout in milliseconds (at most 600000)")),
      description: optional(string("What the command does, in a few plain words")),
      ...(background ? { run_in_background: IN_BACKGROUND } : {}),
      dangerouslyDisableSandbox: optional(boolean("Run outside the sandbox, if there is one")),
    }),
    /** A model that learned of the background elsewhere may ask for it; the command runs anyway. */
    repair: ({ run_in_background: asked, ...input }) =>
      background && asked !== undefined ? { ...input, run_in_background: asked } : input,
    // This tool cuts its own output; the extra room is for the text around it.
    maxShown: MAX_OUTPUT + 20_000,

    parallelSafe: async ({ command, run_in_background }) => run_in_background !== true && (await readOnly(command)),
    access({ command, dangerouslyDisableSandbox }, context) {
      const { cwd } = context.workspace;
      judged.set(context, cwd);
      return { kind: "command", command, cwd, ...(dangerouslyDisableSandbox ? { unsandboxed: true } : {}) };
    },
    run(input, context) {
      const cwd = folderOf(context);
      if (input.run_in_background) return runInBackground(input, context, cwd);
      return runAndWait(input, context, { cwd, mayMove: background });
    },
    show,
  });
}

async function isReadOnly(command: string): Promise<boolean> {
  // The shell parser, 18 ms unbundled, is not needed before the first command.
  const { isReadOnlyCommand } = await import("@keelson/engine/command");
  return isReadOnlyCommand(command);
}

async function runInBackground(
  input: BashInput,
  { shell, toolUseId, owner }: ToolContext,
  cwd: string,
): Promise<BashOutput> {
  const started = await shell.background(input.command, {
    cwd,
    description: input.description ?? input.command,
    toolUseId,
    ...(owner === undefined ? {} : { owner }),
    ...sandboxOption(input),
  });
  return { ...emptyOutput(input), ...inBackground(started) };
}

const inBackground = ({ id, outputPath }: BackgroundCommand) => ({
  backgroundTaskId: id,
  backgroundOutputPath: outputPath,
});

async function runAndWait(
  input: BashInput,
  context: ToolContext,
  { cwd, mayMove }: { readonly cwd: string; readonly mayMove: boolean },
): Promise<BashOutput> {
  const { shell, signal, toolUseId, owner, env, seen } = context;
  const timeoutMs = timeoutFor(input.timeout, env);
  const start = Date.now();
  const result = await shell.run(input.command, {
    cwd,
    timeoutMs,
    signal,
    maxOutput: maxOutputFor(env),
    id: toolUseId,
    task: { description: input.description ?? input.command, mayMove, ...(owner === undefined ? {} : { owner }) },
    ...sandboxOption(input),
  });
  seen.commandRan(start, Date.now());
  if (result.movedTo) return { ...emptyOutput(input), ...inBackground(result.movedTo), backgroundedByUser: true };
  const moved = result.cwd === null || result.cwd === cwd ? "" : followShell(result.cwd, context);
  const stderr = [...(moved === "" ? [] : [moved]), ...(result.notes ?? [])].join("\n");

  if (result.aborted) return { ...emptyOutput(input), ...outputFields(result), stderr, interrupted: true };
  const meaning = result.code === null ? undefined : exitMeaning(input.command, result.code);
  if (result.timedOut || (result.code !== 0 && meaning === undefined)) {
    throw new ToolError([failureText(result, timeoutMs), ...(stderr === "" ? [] : [stderr])].join("\n"));
  }
  const image = await findImage(result, context);
  return {
    ...emptyOutput(input),
    ...(image === null ? outputFields(result) : { stdout: image, isImage: true }),
    stderr,
    ...(meaning === undefined ? {} : { returnCodeInterpretation: meaning }),
  };
}

function sandboxOption(input: BashInput): { sandbox?: "off" } {
  return input.dangerouslyDisableSandbox ? { sandbox: "off" } : {};
}

/** Moves the session to the shell's final directory, or back to the project root if that directory is not allowed. */
function followShell(cwd: string, { workspace, env }: ToolContext): string {
  const stays = isSet(env["CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR"]);
  if (!stays && workspace.move(cwd)) return "";
  workspace.move(workspace.root);
  return `Shell cwd was reset to ${workspace.cwd}`;
}

function emptyOutput(input: BashInput): BashOutput {
  return {
    stdout: "",
    stderr: "",
    interrupted: false,
    isImage: false,
    noOutputExpected: isSilent(input.command),
    ...(input.dangerouslyDisableSandbox ? { dangerouslyDisableSandbox: true } : {}),
  };
}

function outputFields(result: ShellResult): Partial<BashOutput> {
  if (result.path !== null) {
    return {
      stdout: trimOutput(result.text),
      persistedOutputPath: result.path,
      persistedOutputSize: result.size,
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

function show(output: BashOutput) {
  if (output.backgroundTaskId !== undefined) {
    const moved = output.backgroundedByUser ? " The user moved it to the background while it was running." : "";
    return `Command running in background with ID: ${output.backgroundTaskId}. Output is being written to: ${output.backgroundOutputPath}. You will be notified when it completes. To check interim output, use Read on that file path.${moved}`;
  }
  const image = output.isImage ? imageBlock(output.stdout) : null;
  if (image) return [image];

  const { persistedOutputPath: path, persistedOutputSize: size } = output;
  const stdout = path === undefined ? output.stdout : persistedNotice(path, size ?? 0, output.stdout);
  const parts = [
    stdout,
    output.stderr,
    output.interrupted ? "<error>Command was aborted before completion</error>" : "",
    stdout === "" ? (output.returnCodeInterpretation ?? "") : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? "(Bash completed with no output)" : parts.join("\n");
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "" && value !== "0" && value !== "false";
}
