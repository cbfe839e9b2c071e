// A tool that runs commands: the input, the access and the limits that Bash and PowerShell share.

import {
  boolean,
  defineTool,
  number,
  object,
  optional,
  persistedNotice,
  string,
  type Access,
  type Tool,
  type ToolContext,
} from "@keelson/engine";
import { imageBlock } from "./image.ts";
import { MAX_OUTPUT } from "./limits.ts";

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
  /** The end of an output of which `stdout` is only the beginning. */
  readonly persistedOutputEnd?: string;
  readonly dangerouslyDisableSandbox?: boolean;
}

/** What differs between the tools that run commands. */
export interface CommandKind {
  readonly tool: string;
  /** What the shell gets for a command of another language. */
  script?(command: string): string;
}

export interface CommandToolOptions {
  readonly kind: CommandKind;
  readonly description: string;
  readonly language?: "powershell";
  /** Whether commands may run in the background. */
  readonly background: boolean;
  /** Whether a command may run in parallel with others. Absent: none may. */
  parallelSafe?(command: string): boolean | Promise<boolean>;
  check?(): void;
}

const IN_BACKGROUND = optional(boolean("Run in the background and return at once; output goes to a file you can read"));

export function commandTool(options: CommandToolOptions): Tool<BashInput, BashOutput> {
  const { kind, description, language, background, parallelSafe, check } = options;
  // Run in the directory the gate checked, even if another call has changed the session's directory since.
  const judged = new WeakMap<ToolContext, string>();
  const folderOf = (context: ToolContext) => judged.get(context) ?? context.workspace.cwd;
  return defineTool<BashInput, BashOutput>({
    name: kind.tool,
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

    kind: "execute",
    describe: (input) => ({ title: input.text("command"), note: input.text("description") }),
    parallelSafe: async ({ command, run_in_background }) =>
      parallelSafe !== undefined && run_in_background !== true && (await parallelSafe(command)),
    ...(check && { check }),
    access({ command, dangerouslyDisableSandbox }, context): Access {
      const { cwd } = context.workspace;
      judged.set(context, cwd);
      return {
        kind: "command",
        command,
        cwd,
        ...(language && { language }),
        ...(dangerouslyDisableSandbox ? { unsandboxed: true } : {}),
      };
    },
    async run(input, context) {
      const { executeCommand } = await import("./run-command.ts");
      return executeCommand(input, context, { cwd: folderOf(context), mayMove: background, kind });
    },
    show: (output) => show(output, kind.tool),
  });
}

function show(output: BashOutput, tool: string) {
  if (output.backgroundTaskId !== undefined) {
    const moved = output.backgroundedByUser ? " The user moved it to the background while it was running." : "";
    return `Command running in background with ID: ${output.backgroundTaskId}. Output is being written to: ${output.backgroundOutputPath}. You will be notified when it completes. To check interim output, use Read on that file path.${moved}`;
  }
  const image = output.isImage ? imageBlock(output.stdout) : null;
  if (image) return [image];

  const { persistedOutputPath: path, persistedOutputSize: size, persistedOutputEnd: end } = output;
  const stdout = path === undefined ? output.stdout : persistedNotice(path, size ?? 0, output.stdout, end);
  const parts = [
    stdout,
    output.stderr,
    output.interrupted ? "<error>Command was aborted before completion</error>" : "",
    stdout === "" ? (output.returnCodeInterpretation ?? "") : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? `(${tool} completed with no output)` : parts.join("\n");
}
