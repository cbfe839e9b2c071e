// keelson acp: sessions for editors, over the Agent Client Protocol on standard input and output, which carry nothing else.

import { resolve } from "node:path";
import type { EditorStreams } from "@keelson/acp";
import type { Flag } from "../../args/flags.ts";
import { toFlags, UsageError } from "../../args/invocation.ts";
import { optionLines } from "../export/export.ts";
import { handleSignals } from "../../process/signals.ts";
import { printError, type ProcessIO } from "../../process/process-io.ts";
import { SERVED_FLAGS, servedDebug, servedSnapshot, withOwnState } from "../served-sessions.ts";
import { readSingleCommand } from "../single-command.ts";
import { sharedFlags, withShared } from "../group-flags.ts";

export const ACP_OWN_FLAGS: readonly Flag[] = [
  { name: "login", value: { kind: "none" }, group: "Other", help: "Store an API key and exit" },
  { name: "check", value: { kind: "none" }, group: "Other", help: "Print what an editor would get in this folder" },
  {
    name: "record",
    value: { kind: "text", label: "file" },
    group: "Other",
    help: "Append all messages in both directions, without secrets",
  },
];

/** What applies to every session of the editor. */
export const ACP_FLAGS = withShared(
  ACP_OWN_FLAGS,
  ...SERVED_FLAGS,
  "allow-dangerously-skip-permissions",
  "max-turns",
  "max-budget-usd",
);

const USAGE = `Usage: keelson acp [options]

Serve an editor over the Agent Client Protocol: the editor starts this program and talks to it on
standard input and output. To set up Zed, JetBrains, Neovim and Emacs, see docs/editors.md. The
options apply to every session that the editor opens.

Options:
${optionLines(ACP_OWN_FLAGS)}

${sharedFlags(ACP_FLAGS, ACP_OWN_FLAGS)}
`;

export async function runAcp(argv: readonly string[], own: ProcessIO): Promise<number> {
  const io = await withOwnState(own);
  const command = { name: "acp", flags: ACP_FLAGS, usage: USAGE, synopsis: "usage: keelson acp [options]", words: 0 };
  const given = await readSingleCommand(command, argv, io);
  if (typeof given === "number") return given;
  if (given.has("login")) return (await import("../auth/auth.ts")).runAuth(["login"], io);
  const why = io.whyUnwritable?.();
  if (why !== undefined) return printError(io, why);
  const { serveEditor } = await import("@keelson/acp");
  const { lineWriter } = await import("@keelson/stdio");
  const { createEditorHost } = await import("./host.ts");
  const debug = await servedDebug(given, io);
  let flags;
  try {
    flags = toFlags(given, io.cwd);
  } catch (error) {
    if (error instanceof UsageError) return printError(io, error.message);
    throw error;
  }
  const host = createEditorHost({ io, flags, debug });
  const file = given.text("record");
  const through = file === undefined ? unchanged : await recorderTo(resolve(io.cwd, file), io);
  if (typeof through === "number") return through;
  if (given.has("check")) {
    const { trusted, held = [] } = servedSnapshot(io, flags);
    const trust = !trusted ? "no" : held.length > 0 ? "partly" : "yes";
    return (await import("./check.ts")).runCheck({ io, host, trust, through });
  }
  const out = lineWriter(
    (text) => io.write(text),
    () => void server.close(),
  );
  const server = serveEditor(host, through({ input: io.stdin(), write: (line) => out.add(line) }));
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

const unchanged = (streams: EditorStreams) => streams;

/** Returns the exit code if the file cannot be written. */
async function recorderTo(file: string, io: ProcessIO): Promise<number | ((streams: EditorStreams) => EditorStreams)> {
  const { recorded } = await import("./record.ts");
  try {
    io.append(file, "");
  } catch (error) {
    return printError(io, `--record: cannot write the file: ${(error as Error).message}`);
  }
  const append = (text: string) => io.append(file, text);
  return (streams) => recorded(streams, { env: io.env, append, now: () => new Date() });
}
