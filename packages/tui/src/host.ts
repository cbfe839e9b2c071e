// What the terminal front end gets from the program around it: which session to open, and what belongs to the machine that the
// terminal is on: its clipboard, editor, browser, themes and keys. Everything about sessions, files and history is asked of the
// session, as any client may.

import type { JsonObject, PermissionMode, ReplyTo, Session } from "@keelson/protocol";
import type { ImageType } from "@keelson/protocol/image-type";
import type { Terminal } from "./terminal/terminal.ts";

/** Which session to open. */
export type WhichSession =
  | { readonly kind: "new" }
  | { readonly kind: "continue" }
  | { readonly kind: "resume"; readonly id: string; readonly fork?: boolean };

export interface PastedImage {
  readonly mediaType: ImageType;
  readonly base64: string;
  readonly name?: string;
}

/** Signs one device in. */
export interface PageLink {
  readonly link: string;
  /** Rows of a QR code. */
  readonly qr: readonly string[];
  /** Where the server listens: "127.0.0.1:4600". */
  readonly listens: string;
}

/** A model of a server on this machine. */
export interface LocalModel {
  /** For `--model`. */
  readonly id: string;
  readonly title: string;
  readonly detail: string;
}

export interface OfferedProvider {
  readonly provider: string;
  readonly title: string;
  /** A variable, a setting or `keychain`; null if there are none. */
  readonly credentials: string | null;
  /** Whether a key that is given now counts. */
  readonly takesKey: boolean;
  /** What has to be done before it can be asked. */
  readonly missing?: string;
}

/** What a provider says to a key; `refused` if it does not know it. */
export type LoginCheck =
  | { readonly models: readonly string[]; readonly standard?: string }
  | { readonly problem: string; readonly refused: boolean };

/** Keys of providers on this machine, and what can be chosen without one. */
export interface LoginPort {
  /** What the servers offer that answer. */
  servers(): Promise<readonly LocalModel[]>;
  providers(): Promise<readonly OfferedProvider[]>;
  /** Asks a provider, with this key or with what is there. Nothing is kept. */
  check(provider: string, key: string | undefined, signal: AbortSignal): Promise<LoginCheck>;
  /** As `keelson auth login` stores it. Rejects with an error for the user. */
  store(provider: string, key: string): Promise<void>;
  /** Makes it the model of new sessions. Rejects with an error for the user. */
  choose(model: string): Promise<void>;
}

/** A call, and by what it is judged. */
export interface CallInSession {
  readonly tool: string;
  readonly input: JsonObject;
  readonly mode: PermissionMode;
  readonly cwd: string;
  readonly directories: readonly string[];
  /** All rules in force, those that were accepted in this session included. */
  readonly rules: ReplyTo<"list_permission_rules">["state"]["rules"];
}

export interface TerminalHost {
  readonly terminal: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  /** Told to the status line: the version whose files and protocol this program shares. */
  readonly version: string;
  /** Settings in force when the program started. The screen reads its own from it: theme, editorMode, statusLine … */
  readonly settings: JsonObject;
  /** `--ax-screen-reader`, `axScreenReader` or TERM=dumb: text is only appended. */
  readonly screenReader: boolean;
  readonly first: WhichSession;
  /** Sent as soon as the session is open. */
  readonly prompt?: string;
  /** Said above the first prompt: warnings of the settings, announcements. */
  readonly notices: readonly string[];
  /** What is said later, such as warnings while a session is opened. What came before the listener is said again. */
  onNotice(listener: (text: string) => void): () => void;
  /**
   * Aborts when the program has to end now: a signal, a closed window, a failure. The terminal must be restored before the
   * event is over; the outcome may follow.
   */
  readonly end: AbortSignal;
  /** Opens a session, after the one before was closed. Rejects with an error for the user. */
  open(which: WhichSession): Promise<Session>;
  /** The texts of the user's theme files, by name. */
  themes(): Readonly<Record<string, string>>;
  /** The text of keybindings.json, or undefined if there is none. */
  keybindings(): Promise<{ readonly path: string; readonly text: string | undefined }>;
  /** Opens the user's editor; the terminal is in cooked mode meanwhile. Undefined if it failed or there is none. */
  editText(text: string, options: { readonly extension: string }): Promise<string | undefined>;
  /** Opens a file in the user's editor, made with `start` if it is not there. False if it failed or there is no editor. */
  editFile(path: string, start?: string): Promise<boolean>;
  /** An image from the clipboard, if there is one. */
  clipboardImage(): Promise<PastedImage | undefined>;
  /** Runs the command of `statusLine` with this input. Undefined if there is none, or it failed. */
  statusLine(
    input: JsonObject,
    size: { columns: number; rows: number },
    signal: AbortSignal,
  ): Promise<string | undefined>;
  /** Rings in the way the settings name, for a window that may not be looked at. */
  notify(text: string): void;
  /** Opens a web page in the user's browser. False if it is none, or no browser could be started. */
  openUrl(url: string): Promise<boolean>;
  /** Whether the user has not been told this before. It is remembered. */
  isFirstTime(notice: "auto-mode"): Promise<boolean>;
  /**
   * Shows a session on the page in the browser, from now on. `proxy` is where a proxy offers the page. Rejects with an error for
   * the user.
   */
  showOnPage(session: string, proxy: string | undefined): Promise<PageLink>;
  /** Loaded when it is asked for. */
  logins(): Promise<LoginPort>;
  /** What `keelson doctor` prints. */
  doctor(): Promise<string>;
  /** What `keelson permissions explain` prints for a call in this session. Undefined if nothing can be said of it. */
  explainCall(call: CallInSession): Promise<string | undefined>;
  now(): number;
}

export interface TerminalOutcome {
  readonly code: number;
  /** Printed after the terminal was restored: how to resume. */
  readonly lastWords?: string;
}
