// The model of a continued session is the one that answered last. Flags and ANTHROPIC_MODEL go first; the model in the
// settings is for new sessions.

import type { Snapshot } from "@keelson/config";
import { OFFLINE_ID, type ResolvedModel } from "@keelson/model";
import type { ChainEntry } from "@keelson/protocol";
import { OpenError } from "../session/place.ts";

/** If the model of the session cannot be used, for example because its key is gone, the usual one continues. */
export async function resumeModel(
  snapshot: Snapshot,
  entries: readonly ChainEntry[],
  resolve: (name?: string) => Promise<ResolvedModel>,
  warn: (text: string) => void,
): Promise<ResolvedModel> {
  const name = lastModel(snapshot, entries);
  if (name === undefined) return resolve();
  const usual = await resolve().catch(asOpenError);
  if (!(usual instanceof OpenError) && withoutDate(usual.profile.id) === withoutDate(name)) return usual;
  const before = await resolve(name).catch(asOpenError);
  if (!(before instanceof OpenError) && (before.source !== "offline" || usual instanceof OpenError)) return before;
  if (usual instanceof OpenError) throw usual;
  if (before instanceof OpenError)
    warn(`The model of this session cannot be used: ${before.message}. Continuing with "${usual.profile.id}"`);
  return usual;
}

/** Undefined if no model answered, or if the user names another one. */
function lastModel({ flags, env }: Snapshot, entries: readonly ChainEntry[]): string | undefined {
  if (flags.model !== undefined || env["ANTHROPIC_MODEL"]?.trim()) return undefined;
  const last = entries.findLast((entry) => entry.type === "assistant" && isModel(entry.message.model));
  return last?.type === "assistant" ? last.message.model : undefined;
}

/** Error messages are stored as replies of `<synthetic>`. No one continues on the offline model who has another one. */
const isModel = (name: unknown) => typeof name === "string" && name !== OFFLINE_ID && /^\w/.test(name);

/** Servers add the date of a version to the name they were asked with. */
const withoutDate = (name: string) => name.replace(/-\d{8}$/, "");

function asOpenError(error: unknown): OpenError {
  if (error instanceof OpenError) return error;
  throw error;
}
