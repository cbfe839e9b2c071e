// keelson mcp logout: revokes and deletes the tokens of a remote MCP server.

import { UsageError } from "../../../args/invocation.ts";
import { printWarning } from "../../../process/process-io.ts";
import { snapshotFor, type Invoked } from "../../group.ts";
import { visible } from "../../permissions/words.ts";
import { remoteServer } from "./remote-server.ts";

export async function logout(call: Invoked): Promise<number> {
  const { io } = call;
  const [name, ...more] = call.words;
  if (name === undefined || more.length > 0) throw new UsageError("usage: keelson mcp logout <name>");
  const snapshot = await snapshotFor(call);
  const { server } = remoteServer(name, snapshot);
  const { signOut } = await import("@keelson/mcp/sign-in");
  const { networkFetch } = await import("@keelson/model");
  const { signInStorage } = await import("@keelson/runtime/mcp-sign-in");
  const storage = signInStorage(snapshot);
  const result = await signOut({ ...server, storage, fetch: networkFetch(snapshot.env) });
  await io.write(`${result === "not signed in" ? "Not signed in to" : "Signed out of"} "${visible(name)}"\n`);
  if (result === "kept") printWarning(io, "the server did not revoke the tokens; they are deleted here only");
  return 0;
}
