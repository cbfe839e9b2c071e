// The documents that a server has open, kept like the files on disk. A server reads open documents from us, never from
// disk, so each one is compared before a request.

import type { Files } from "@keelson/engine";
import { LanguageServerError } from "../wire/errors.ts";
import type { ServerAbilities } from "../wire/capabilities.ts";
import { uriOf } from "../wire/uri.ts";

export interface DocumentsOptions {
  notify(method: string, params: object): void;
  readonly sync: ServerAbilities["sync"];
  languageOf(path: string): string;
  readonly files: Files;
  /** Whether the user's rules let a server have this file. */
  mayRead(path: string): boolean;
}

interface OpenDocument {
  readonly version: number;
  readonly hash: bigint;
  /** Time and size of the file when it was compared; undefined if the text did not come from there. */
  readonly stamp: string | undefined;
}

/** Generated files of this size make servers slow, and no one asks about a symbol in them. */
const MAX_BYTES = 5 * 1024 * 1024;
const MOST_OPEN = 64;

export class Documents {
  readonly #options: DocumentsOptions;
  /** The one used last comes last. */
  readonly #open = new Map<string, OpenDocument>();

  constructor(options: DocumentsOptions) {
    this.#options = options;
  }

  get paths(): readonly string[] {
    return [...this.#open.keys()];
  }

  has(path: string): boolean {
    return this.#open.has(path);
  }

  versionOf(path: string): number | undefined {
    return this.#open.get(path)?.version;
  }

  /** Opens the file, or updates it. Returns its text. Throws LanguageServerError if it cannot be given to a server. */
  async fromDisk(path: string): Promise<string> {
    const { files, mayRead } = this.#options;
    const stat = mayRead(path) ? await files.stat(path) : null;
    if (stat?.kind !== "file") throw new LanguageServerError("file", `"${path}" is not a file that can be opened`);
    if (stat.size > MAX_BYTES) {
      throw new LanguageServerError("file", `"${path}" is too large for a language server (${stat.size} bytes)`);
    }
    const text = new TextDecoder().decode(await files.read(path));
    this.show(path, text, `${stat.mtimeMs} ${stat.size}`);
    return text;
  }

  /** Gives the server this text of a file, if it has another. Returns whether it had. */
  show(path: string, text: string, stamp?: string): boolean {
    const known = this.#open.get(path);
    const hash = BigInt(Bun.hash(text));
    const isNew = known?.hash !== hash;
    this.#open.delete(path);
    this.#open.set(path, { version: (known?.version ?? 0) + (isNew ? 1 : 0), hash, stamp });
    if (isNew) this.#send(path, text, known !== undefined);
    for (const oldest of this.#open.keys()) {
      if (this.#open.size <= MOST_OPEN) break;
      this.close(oldest);
    }
    return isNew;
  }

  saved(path: string, text: string): void {
    const { notify, sync } = this.#options;
    if (!sync.save || !this.#open.has(path)) return;
    const textDocument = { uri: uriOf(path) };
    notify("textDocument/didSave", sync.saveText ? { textDocument, text } : { textDocument });
  }

  /** Compares all open documents with their files. One that is gone, or that the server may not have, is closed. */
  async refresh(): Promise<void> {
    const { files, mayRead } = this.#options;
    for (const [path, { stamp }] of [...this.#open]) {
      const stat = mayRead(path) ? await files.stat(path).catch(() => null) : null;
      if (stat?.kind !== "file" || stat.size > MAX_BYTES) this.close(path);
      else if (`${stat.mtimeMs} ${stat.size}` !== stamp) {
        const text = new TextDecoder().decode(await files.read(path));
        if (this.show(path, text, `${stat.mtimeMs} ${stat.size}`)) this.saved(path, text);
      }
    }
  }

  close(path: string): void {
    if (!this.#open.delete(path)) return;
    const { notify, sync } = this.#options;
    if (sync.open) notify("textDocument/didClose", { textDocument: { uri: uriOf(path) } });
  }

  #send(path: string, text: string, isOpen: boolean): void {
    const { notify, sync, languageOf } = this.#options;
    const uri = uriOf(path);
    const version = this.versionOf(path)!;
    if (!isOpen) {
      if (sync.open) {
        notify("textDocument/didOpen", { textDocument: { uri, languageId: languageOf(path), version, text } });
      }
    } else if (sync.change) {
      // A change without a range replaces the whole text, which every server that takes changes accepts.
      notify("textDocument/didChange", { textDocument: { uri, version }, contentChanges: [{ text }] });
    }
  }
}
