// What the session asks about files that the editor has open. Which it may ask about is decided there, before it asks.

import type { SessionQuestion } from "@keelson/client";
import { isObject, type OpenFilesOffer } from "@keelson/protocol";
import type { RpcConnection } from "../rpc/connection.ts";
import type { ClientCapabilities } from "../schema/types.ts";

/** Undefined if it lets no one see its files: what cannot be seen is not changed there either. */
export function filesOffered({ fs }: ClientCapabilities): OpenFilesOffer | undefined {
  const { readTextFile, writeTextFile }: Readonly<Record<string, unknown>> = isObject(fs) ? fs : {};
  return readTextFile === true ? { read: true, write: writeTextFile === true } : undefined;
}

/** The model reads them. */
const MOST_CHARS = 500;

export const isAboutFile = ({ request: { subtype } }: SessionQuestion): boolean =>
  subtype === "read_open_file" || subtype === "write_open_file";

export interface EditorFilesOptions {
  readonly connection: RpcConnection;
  readonly sessionId: string;
  /** A path as the editor knows it. */
  nameOf(path: string): string;
}

export async function answerAboutFile(
  { request, signal, answer, refuse, leave }: SessionQuestion,
  { connection, sessionId, nameOf }: EditorFilesOptions,
): Promise<void> {
  const { subtype, path: real, content }: Readonly<Record<string, unknown>> = request;
  const path = nameOf(String(real));
  try {
    if (subtype === "write_open_file") {
      await connection.request("fs/write_text_file", { sessionId, path, content }, signal);
      return answer({});
    }
    const said = await connection.request("fs/read_text_file", { sessionId, path }, signal);
    const text = isObject(said) ? said["content"] : undefined;
    answer({ content: typeof text === "string" ? text : null });
  } catch (error) {
    if (signal.aborted) return leave();
    // Editors have errors for files that they do not know.
    if (subtype === "read_open_file") return answer({ content: null });
    const why = error instanceof Error ? error.message : String(error);
    refuse(why.length > MOST_CHARS ? `${why.slice(0, MOST_CHARS)}…` : why);
  }
}
