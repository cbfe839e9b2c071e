// LSP: questions about code, answered by a language server. What does the work is loaded with the first call.

import { defineTool, integer, object, oneOf, string, ToolError, type Tool, type ToolContext } from "@keelson/engine";
import type { CodeFindings, CodeOperation, CodePosition } from "@keelson/protocol";
import { missingFileError, resolvePath } from "../path.ts";
import description from "./lsp.md" with { type: "text" };

const OPERATIONS: readonly CodeOperation[] = [
  "goToDefinition",
  "findReferences",
  "hover",
  "documentSymbol",
  "workspaceSymbol",
  "goToImplementation",
  "prepareCallHierarchy",
  "incomingCalls",
  "outgoingCalls",
];

export interface LspInput {
  readonly operation: CodeOperation;
  readonly filePath: string;
  readonly line: number;
  readonly character: number;
}

export interface LspOutput {
  readonly operation: CodeOperation;
  /** What the model reads. */
  readonly result: string;
  readonly filePath: string;
  readonly resultCount?: number;
  readonly fileCount?: number;
}

/** Reaches the language servers of a session. */
export interface CodeNavigator {
  /** The position counts from 0, in UTF-16. Throws ToolError if the question cannot be answered. */
  ask(
    question: { readonly operation: CodeOperation; readonly path: string; readonly position: CodePosition },
    context: ToolContext,
  ): Promise<CodeFindings>;
}

export function lspTool(navigator: CodeNavigator): Tool<LspInput, LspOutput> {
  return defineTool<LspInput, LspOutput>({
    name: "LSP",
    description,
    input: object({
      operation: oneOf(OPERATIONS, "What to ask"),
      filePath: string("The file to ask about"),
      line: integer("The line, counted from 1", { minimum: 1 }),
      character: integer("The position in the line, counted from 1", { minimum: 1 }),
    }),
    kind: "search",
    describe(input) {
      const line = input.text("line");
      return `${input.text("operation")} ${input.path("filePath", Number(line))}:${line}`;
    },
    parallelSafe: true,

    repair({ line, character, filePath, file_path: alias, ...input }) {
      // Models leave out what an operation does not use, write numbers as text, and know the other tools' field.
      const unused = input["operation"] === "documentSymbol" ? 1 : undefined;
      return {
        ...input,
        filePath: filePath ?? alias,
        line: count(line) ?? unused,
        character: count(character) ?? unused,
      };
    },

    async check({ filePath }, context) {
      const path = resolvePath(filePath, context);
      const stat = await context.files.stat(path);
      if (!stat) throw await missingFileError(path, context);
      if (stat.kind !== "file") throw new ToolError(`Path is not a file: ${filePath}`);
    },

    access: ({ filePath }, context) => ({ kind: "read", path: resolvePath(filePath, context) }),

    async run({ operation, filePath, line, character }, context) {
      const path = resolvePath(filePath, context);
      const position = { line: line - 1, character: character - 1 };
      const findings = await navigator.ask({ operation, path, position }, context);
      const { describeFindings } = await import("./findings.ts");
      return {
        operation,
        filePath: path,
        ...(await describeFindings({ operation, path, position }, findings, context)),
      };
    },

    show: ({ result }) => result,
  });
}

const count = (value: unknown) => (typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value);
