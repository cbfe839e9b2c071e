// Files that clients have open: tools see their unsaved text, and change it there, so that nothing that someone typed is
// lost. Nothing is asked about a path before the gate has judged it, and what a client says is as bounded as what a disk
// says. Loaded when a client offers files.

import { ToolError, type Files, type FileStat, type ReadLedger } from "@keelson/engine";
import { realPathOf } from "@keelson/disk/real-path";
import { isObject } from "@keelson/protocol";
import { diskTextKey, fileKind, isSameText, shownLike, shownTextKey, unsavedBytes } from "@keelson/tools/open-files";
import { resolve } from "node:path";
import type { ClientRequests } from "../controls/client-requests.ts";
import type { Clients, StreamClient } from "../stream/clients.ts";

/** Reading must not feel slow if an editor does not answer; a change may need a formatter. */
const READ_MS = 5_000;
const WRITE_MS = 20_000;

/** Larger files are taken from disk. What an editor sends passes through memory several times. */
const MOST_BYTES = 10 * 1024 * 1024;
/** How long editors take to read a file again that has changed on disk. */
const NOTICED_MS = 2_000;

/** One call, and what it may see. */
export interface OpenFilesCall {
  readonly signal: AbortSignal;
  readonly seen: Pick<ReadLedger, "get" | "wasOwnCommand">;
  /** Where the gate saw a path lead; undefined if it has not judged it for this call. */
  judged(path: string): string | undefined;
  /** Whether rules let the model see a file. */
  mayRead(path: string): boolean;
}

export interface OpenFilesOptions {
  readonly clients: Pick<Clients, "all">;
  requests(): Pick<ClientRequests, "askOne">;
  readonly waits?: { readonly readMs: number; readonly writeMs: number };
}

/** Files with what clients have not saved. */
export interface FilesWithUnsaved extends Files {
  /** What someone had not saved when this call last looked at the file. */
  unsaved(path: string): Uint8Array | undefined;
}

/** A file that a client has open and has not saved, as a call saw it. */
interface Unsaved {
  readonly client: StreamClient;
  /** As the client gave it. */
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly realPath: string;
}

/** What a look at a file found: nothing to save, something, or a client that did not say. */
type Look = { readonly unsaved?: Unsaved; readonly silent?: string };

export class OpenFiles {
  readonly #options: OpenFilesOptions;
  readonly #past = new PastTexts();

  constructor(options: OpenFilesOptions) {
    this.#options = options;
  }

  wrap(files: Files, call: OpenFilesCall): FilesWithUnsaved {
    const looks = new Map<string, Look>();
    const look = async (path: string, stat: FileStat | null): Promise<Look> => {
      const found = await this.#lookAt(path, stat, files, call);
      looks.set(path, found);
      return found;
    };
    const known = async (path: string) => looks.get(path) ?? (await look(path, await files.stat(path)));

    return {
      ...files,
      readSmall: undefined,
      async stat(path) {
        const stat = await files.stat(path);
        // One that does not answer is waited for once.
        const { unsaved } = looks.get(path)?.silent === undefined ? await look(path, stat) : {};
        return unsaved ? statOf(unsaved) : stat;
      },
      async read(path, options) {
        const { unsaved } = await known(path);
        return unsaved ? unsaved.bytes.subarray(0, options?.maxBytes) : files.read(path, options);
      },
      write: async (path, bytes) => {
        const before = await known(path);
        const { unsaved, silent } = before.silent === undefined ? await look(path, await files.stat(path)) : before;
        if (silent !== undefined) throw new ToolError(unsure(path, silent));
        if (unsaved?.text !== before.unsaved?.text) throw new ToolError(CHANGED);
        if (!unsaved) return files.write(path, bytes);
        await this.#change(path, unsaved, bytes, files, call);
      },
      unsaved: (path) => looks.get(path)?.unsaved?.bytes,
    };
  }

  async #lookAt(path: string, stat: FileStat | null, files: Files, call: OpenFilesCall): Promise<Look> {
    if (stat !== null && (stat.kind !== "file" || stat.size > MOST_BYTES)) return NOTHING;
    const kind = fileKind(path);
    if (kind !== "text" && kind !== "notebook") return NOTHING;
    const realPath = stat?.realPath ?? realPathOf(resolve(path));
    if (!isJudged(path, realPath, call)) return NOTHING;
    // An editor that has not noticed yet what a command did would undo it.
    if (stat !== null && Date.now() - stat.mtimeMs < NOTICED_MS && call.seen.wasOwnCommand(stat.mtimeMs))
      return NOTHING;
    for (const client of this.#options.clients.all) {
      if (client.openFiles?.read !== true) continue;
      const said = await this.#ask(client, { subtype: "read_open_file", path: realPath }, call);
      if (said.error !== undefined) return { silent: said.error };
      const text = textIn(said);
      if (text === undefined) continue;
      if (text.length > MOST_BYTES) return { silent: "its text is longer than 10 MB" };
      // A link may have taken its place while the client looked.
      if (realPathOf(realPath) !== realPath) throw new ToolError(replaced(path));
      const disk = stat === null ? undefined : await files.read(path);
      const bytes = unsavedBytes(disk, text);
      const isPast = this.#past.had(realPath, disk, text);
      if (bytes !== undefined && !isPast) return { unsaved: { client, text, bytes, realPath } };
    }
    return NOTHING;
  }

  async #change(
    path: string,
    { client, text, realPath }: Unsaved,
    bytes: Uint8Array,
    files: Files,
    call: OpenFilesCall,
  ): Promise<void> {
    if (call.judged(path) !== realPath || realPathOf(realPath) !== realPath) throw new ToolError(replaced(path));
    if (client.openFiles?.write !== true)
      throw new ToolError(
        `'${path}' has unsaved changes in the editor, which takes no changes from here. Nothing was written. Ask the user to save the file, then read it again.`,
      );
    const wanted = shownLike(text, bytes);
    const done = await this.#ask(client, { subtype: "write_open_file", path: realPath, content: wanted }, call);
    if (done.error !== undefined)
      throw new ToolError(
        `'${path}' has unsaved changes in the editor, and the editor did not make this one: ${done.error}. Read the file again before another attempt.`,
      );
    const { error, ...answer } = await this.#ask(client, { subtype: "read_open_file", path: realPath }, call);
    const now = textIn(answer);
    // A formatter may have changed what was written; the next edit needs a new look then, as for any file.
    const isDone =
      now !== undefined
        ? !isSameText(now, text) || isSameText(text, wanted)
        : // It saved and closed the file.
          unsavedBytes((await files.stat(path)) === null ? undefined : await files.read(path), wanted) === undefined;
    if (error !== undefined || !isDone)
      throw new ToolError(
        `The editor was given the change to '${path}', but ${error === undefined ? "did not make it" : `did not confirm it: ${error}`}. Read the file again before another attempt.`,
      );
  }

  async #ask(
    client: StreamClient,
    question: Parameters<ClientRequests["askOne"]>[1],
    { signal }: OpenFilesCall,
  ): Promise<Said> {
    const { requests, waits = { readMs: READ_MS, writeMs: WRITE_MS } } = this.#options;
    const ms = question.subtype === "read_open_file" ? waits.readMs : waits.writeMs;
    const late = AbortSignal.timeout(ms);
    const answer = await requests().askOne(client.id, question, AbortSignal.any([signal, late]));
    if (signal.aborted) throw new ToolError("The call was interrupted.");
    if (answer.subtype === "success") return { response: answer.response };
    if (late.aborted) return { error: `it did not answer within ${ms / 1000} s` };
    // One that left has nothing open any more.
    if (client.isDetached && question.subtype === "read_open_file") return {};
    return { error: answer.error };
  }
}

const NOTHING: Look = {};

type Said = { readonly response?: unknown; readonly error?: string };

const MOST_FILES = 5_000;
const MOST_TEXTS = 50;

/** The texts that files had on disk. An editor that shows one of them has not read the file again; no one typed it. */
class PastTexts {
  readonly #keys = new Map<string, Set<number | bigint>>();

  /** Whether the file had this text on disk, before the one that it has now. */
  had(path: string, disk: Uint8Array | undefined, text: string): boolean {
    const keys = this.#keys.get(path) ?? new Set();
    const isPast = keys.has(shownTextKey(text));
    if (disk !== undefined) keys.add(diskTextKey(disk));
    for (const oldest of keys) {
      if (keys.size <= MOST_TEXTS) break;
      keys.delete(oldest);
    }
    this.#keys.delete(path);
    this.#keys.set(path, keys);
    for (const oldest of this.#keys.keys()) {
      if (this.#keys.size <= MOST_FILES) break;
      this.#keys.delete(oldest);
    }
    return isPast;
  }
}

/** Before a call is judged, only what the model has seen already is looked at, and only if it still may. */
function isJudged(path: string, realPath: string, { judged, seen, mayRead }: OpenFilesCall): boolean {
  const target = judged(path);
  return target === undefined ? seen.get(realPath) !== undefined && mayRead(path) : target === realPath;
}

/** No file has such a time, no command ran then, and it differs whenever the text does. */
function statOf({ bytes, realPath }: Unsaved): FileStat {
  return { kind: "file", size: bytes.length, mtimeMs: -1 - Number(Bun.hash(bytes)) / 2 ** 12, realPath };
}

function textIn({ response }: Said): string | undefined {
  const text = isObject(response) ? response["content"] : undefined;
  return typeof text === "string" ? text : undefined;
}

const replaced = (path: string) => `'${path}' was replaced by a link in the meantime.`;

const unsure = (path: string, why: string) =>
  `Nothing was written: the editor did not say whether it has unsaved changes in '${path}' (${why}). Try again, or ask the user to look at the editor.`;

const CHANGED =
  "File has been modified since read: the editor has other text now. Read it again, then repeat the call if it still makes sense.";
