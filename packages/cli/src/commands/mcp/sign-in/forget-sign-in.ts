// Signs out of a server whose definition was removed: no one would find its tokens again.

import type { Snapshot } from "@keelson/config";
import type { ServerDefinition } from "@keelson/config/mcp";
import type { ProcessIO } from "../../../process/process-io.ts";
import { printWarning } from "../../../process/process-io.ts";
import { visible } from "../../permissions/words.ts";

/** Keeps the sign-in if another definition has the same name and address. */
export async function forgetSignIn(
  name: string,
  removed: ServerDefinition,
  snapshot: Snapshot,
  io: ProcessIO,
): Promise<void> {
  const { checkServer, definitionsOf } = await import("@keelson/config/mcp");
  const { env, settings } = snapshot;
  const addressOf = ({ scope, entry }: ServerDefinition) => {
    const checked = checkServer(name, entry, { scope, env, settings });
    if (!("config" in checked)) return undefined;
    const { config } = checked;
    return (config.type === "http" || config.type === "sse") && URL.canParse(config.url) ? config.url : undefined;
  };
  const url = addressOf(removed);
  if (url === undefined || definitionsOf(name, snapshot).some((each) => addressOf(each) === url)) return;
  const { signOut } = await import("@keelson/mcp/sign-in");
  const { networkFetch } = await import("@keelson/model");
  const { signInStorage } = await import("@keelson/runtime/mcp-sign-in");
  const storage = signInStorage(snapshot);
  try {
    const result = await signOut({ name, url, storage, fetch: networkFetch(env), forgetClient: true });
    if (result !== "not signed in") await io.write(`Signed out of "${visible(name)}"\n`);
    if (result === "kept") printWarning(io, "the server did not revoke the tokens; they are deleted here only");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    printWarning(io, `the tokens of "${visible(name)}" could not be deleted: ${visible(why)}`);
  }
}
