// keelson mcp remove: deletes one definition of a server, and its sign-in.

import { UsageError } from "../../../args/invocation.ts";
import { printError } from "../../../process/process-io.ts";
import { snapshotFor, type Invoked } from "../../group.ts";
import { shellWord, visible } from "../../permissions/words.ts";
import { modifiedLine } from "../words.ts";

export async function deleteServer(call: Invoked): Promise<number> {
  const { given, words, io } = call;
  const [name, ...more] = words;
  if (name === undefined || more.length > 0) throw new UsageError("usage: keelson mcp remove <name> [-s <scope>]");
  const { definitionsOf, removeServer } = await import("@keelson/config/mcp");
  const snapshot = await snapshotFor(call);
  const scope = given.text("scope");
  const found = definitionsOf(name, snapshot).filter((each) => scope === undefined || each.scope === scope);
  const scopes = [...new Set(found.map((each) => each.scope))];
  const [definition] = found;
  if (definition === undefined) {
    const where = scope === undefined ? "" : ` in the ${scope} config`;
    return printError(io, `no MCP server "${visible(name)}"${where}; to list them, run: keelson mcp list`);
  }
  if (scopes.length > 1) {
    const commands = scopes.map((each) => `  keelson mcp remove ${shellWord(visible(name))} -s ${each}`);
    return printError(
      io,
      `MCP server "${visible(name)}" is defined in several places; choose one:\n${commands.join("\n")}`,
    );
  }
  const removed = await removeServer(name, definition, snapshot);
  if (!removed.ok) return printError(io, removed.problem);
  const place = modifiedLine(removed.file, definition.scope, snapshot.cwd);
  await io.write(`Removed MCP server ${visible(name)} from ${definition.scope} config\n${place}\n`);
  const { forgetSignIn } = await import("../sign-in/forget-sign-in.ts");
  await forgetSignIn(name, definition, snapshot, io);
  return 0;
}
