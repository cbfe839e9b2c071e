// keelson mcp serve: offers the built-in tools to another MCP client on standard input and output. Every call goes
// through the gate. Standard output carries only the protocol.

import { isOpenError, printError, printWarning } from "../../process/process-io.ts";
import { shippedPrograms } from "../../shipped-programs.ts";
import { handleSignals } from "../../process/signals.ts";
import { UsageError } from "../../args/invocation.ts";
import { snapshotFor, type Invoked } from "../group.ts";
import { servedDebug } from "../served-sessions.ts";

export async function serveMcp(call: Invoked): Promise<number> {
  const { given, words, io } = call;
  if (words.length > 0) throw new UsageError("usage: keelson mcp serve [--debug] [--verbose]");
  const snapshot = await snapshotFor(call);
  for (const warning of snapshot.warnings) printWarning(io, warning.replaceAll("\n", "?"));
  const debug = await servedDebug(given, io);
  const { serveTools } = await import("@keelson/runtime/served-tools");
  const serving = serveTools({
    snapshot,
    entrypoint: io.env["CLAUDE_CODE_ENTRYPOINT"] || "mcp",
    programs: shippedPrograms,
    ...(debug ? { debug } : {}),
    input: io.stdin(),
    write: (text) => io.write(text),
    warn: (text) => printWarning(io, text),
    wait: (ms, signal) => io.wait(ms, signal),
    ...(given.has("verbose")
      ? { onCall: ({ tool, failed, durationMs }) => io.error(`${tool}: ${failed ? "error" : "ok"}, ${durationMs} ms`) }
      : {}),
  });
  const signals = handleSignals(io, { calm: false });
  signals.watchOver(serving);
  try {
    await serving.done;
    return signals.code() ?? 0;
  } catch (error) {
    if (isOpenError(error)) return printError(io, error.message);
    throw error;
  } finally {
    signals.stop();
  }
}
