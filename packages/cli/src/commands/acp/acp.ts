// keelson acp: sessions for editors, by the Agent Client Protocol on standard input and output, which carry nothing else.

import type { Flag } from "../../args/flags.ts";
import { toFlags, UsageError } from "../../args/invocation.ts";
import { optionLines } from "../export/export.ts";
import { handleSignals } from "../../process/signals.ts";
import { printError, type ProcessIO } from "../../process/process-io.ts";
import { readSingleCommand } from "../single-command.ts";
import { sharedFlags, withShared } from "../group-flags.ts";

export const ACP_OWN_FLAGS: readonly Flag[] = [
  { name: "login", value: { kind: "none" }, group: "Other", help: "Store an API key and exit" },
];

/** What applies to every session of the editor. */
export const ACP_FLAGS = withShared(
  ACP_OWN_FLAGS,
  "model",
  "fallback-model",
  "effort",
  "permission-mode",
  "allow-dangerously-skip-permissions",
  "allowedTools",
  "disallowedTools",
  "max-turns",
  "max-budget-usd",
  "append-system-prompt",
  "settings",
  "setting-sources",
  "mcp-config",
  "strict-mcp-config",
  "safe-mode",
  "debug",
  "debug-file",
  "help",
);

const USAGE = `Usage: keelson acp [options]

Serve an editor by the Agent Client Protocol: it starts this program and speaks to it on standard
input and output. docs/editors.md says how to set up Zed, JetBrains, Neovim and Emacs. The options
apply to every session that the editor opens.

Options:
${optionLines(ACP_OWN_FLAGS)}

${sharedFlags(ACP_FLAGS, ACP_OWN_FLAGS)}
`;

export async function runAcp(argv: readonly string[], own: ProcessIO): Promise<number> {
  const state = own.env["KEELSON_STATE_DIR"];
  const io = state ? (await import("../../process/nested-state.ts")).withNestedState(own, state) : own;
  const command = { name: "acp", flags: ACP_FLAGS, usage: USAGE, synopsis: "usage: keelson acp [options]", words: 0 };
  const given = await readSingleCommand(command, argv, io);
  if (typeof given === "number") return given;
  if (given.has("login")) return (await import("../auth/auth.ts")).runAuth(["login"], io);
  const why = io.whyUnwritable?.();
  if (why !== undefined) return printError(io, why);
  const { serveEditor } = await import("@keelson/acp");
  const { lineWriter } = await import("@keelson/stdio");
  const { createEditorHost } = await import("./host.ts");
  const debugging = given.has("debug") || given.text("debug-file") !== undefined;
  const debug = debugging
    ? (await import("../../debug.ts")).openDebug({ filter: given.text("debug"), file: given.text("debug-file") }, io)
    : undefined;
  let flags;
  try {
    flags = toFlags(given, io.cwd);
  } catch (error) {
    if (error instanceof UsageError) return printError(io, error.message);
    throw error;
  }
  const out = lineWriter(
    (text) => io.write(text),
    () => void server.close(),
  );
  const server = serveEditor(createEditorHost({ io, flags, debug }), {
    input: io.stdin(),
    write: (line) => out.add(line),
  });
  const signals = handleSignals(io, { calm: false });
  signals.watchOver({ close: () => server.close() });
  try {
    await server.done;
    await out.flush();
  } catch (error) {
    // The editor is gone.
    if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
  } finally {
    signals.stop();
  }
  return signals.code() ?? 0;
}
