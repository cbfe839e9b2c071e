// A tool as the engine sees it: a name, a schema, what a call would touch, and how to run it. Tools only declare; they
// never ask for permission, fire hooks, or limit their own output.

import type { ContentBlock, FilePatch, ToolKind } from "@keelson/protocol";
import type { Schema } from "../schema/schema.ts";
import type { ToolContext } from "./context.ts";
import type { DescribedCall, ShownInput } from "./described-call.ts";

export type {
  ToolContext,
  Workspace,
  FileStat,
  Files,
  SearchResult,
  Search,
  ShellOutput,
  ShellResult,
  BackgroundCommand,
  CommandTask,
  LineSink,
  Shell,
  Sighting,
  ReadLedger,
} from "./context.ts";

/** What a call would touch. The gate uses this and nothing else the tool says. */
export type Access = AccessKind & {
  /** It makes something that outlasts the turn, which plan mode does not. */
  readonly makes?: "worktree" | "job";
};

type AccessKind =
  | { readonly kind: "none" }
  | { readonly kind: "read"; readonly path: string }
  | { readonly kind: "edit"; readonly path: string }
  | {
      readonly kind: "command";
      readonly command: string;
      readonly cwd: string;
      /** What the command is written in; absent for what the session's shell reads. */
      readonly language?: "powershell";
      /** The call asks to run outside the sandbox. */
      readonly unsandboxed?: boolean;
    }
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "agent"; readonly agent: string }
  | {
      readonly kind: "skill";
      readonly skill: string;
      readonly others?: readonly string[];
      readonly adds: boolean;
      readonly file?: string;
    }
  /** Something external that only its name describes: an MCP tool. `server` is the server's part of that name. */
  | { readonly kind: "external"; readonly server?: string }
  /** A question that only a person can answer. */
  | { readonly kind: "person" };

export interface Tool<I = any, O = any> {
  readonly name: string;
  readonly description: string;
  readonly input: Schema<I>;
  /** What kind of work its calls are, as editors name it. If absent, `other`. */
  readonly kind?: ToolKind;
  /** What a call is called, for people. Pure. If absent, its arguments are listed. */
  describe?(input: ShownInput): string | DescribedCall;
  /** The model loaded it with ToolSearch; requests mark it, so that the provider's cached prefix stays valid. */
  readonly onDemand?: boolean;
  /** Names that older clients and models use for it. */
  readonly aliases?: readonly string[];
  /** Whether this call may run in parallel with its neighbors. If absent, it runs alone. */
  readonly parallelSafe?: boolean | ((input: I) => boolean | Promise<boolean>);
  /** The longest text the model is shown; the rest goes to a file. If absent, the engine's limit applies. */
  readonly maxShown?: number;
  /** Text longer than `maxShown`: the name of its file, and what the model reads instead. */
  overflow?(text: string): { readonly name: string; notice(path: string): string };
  /**
   * Fixes harmless mistakes of the model before the schema check (`offset: -1`, an extra field). Pure: it runs while the reply
   * still arrives, before the calls in front of this one.
   */
  repair?(input: Record<string, unknown>): Record<string, unknown>;
  /** Fields that its schema does not have are dropped, before the schema check. Models send those of other versions. */
  readonly dropsUnknown?: boolean;
  /** Replaces the schema check, with the tool's own message for invalid input. */
  invalid?(input: unknown): string | undefined;
  /** Adds to a valid input what the call finds when its turn comes. Hooks, the gate and whoever approves it see the result. */
  complete?(input: I): I;
  /** Checks, without side effects, whether the call can work at all. Runs before any permission question. */
  check?(input: I, context: ToolContext): Promise<void> | void;
  access(input: I, context: ToolContext): Access | Promise<Access>;
  /** How the call would change a file, for whoever approves it; undefined if that is too long to show. Changes nothing. */
  preview?(input: I, context: ToolContext): Promise<FilePatch | undefined>;
  /** Runs the call. The output is stored whole, as `toolUseResult`. */
  run(input: I, context: ToolContext): Promise<O>;
  /** What the model reads. */
  show(output: O): string | readonly ContentBlock[];
  /** What the user answered, of a tool that asks. */
  answer?(output: O): string;
}

export function defineTool<I, O>(tool: Tool<I, O>): Tool<I, O> {
  return tool;
}
