// What the terminal front end gets from this program: sessions to open, and what belongs to this machine. What is not needed
// for the first frame is loaded when it is asked for.

import { reload, type Snapshot } from "@keelson/config";
import type { EndReason, Inbound, JsonObject, Session } from "@keelson/protocol";
import { COMPATIBLE_VERSION } from "@keelson/protocol/version";
import type { TerminalHost, WhichSession } from "@keelson/tui";
import type { Debug, SessionChoice, WantedSession } from "../open.ts";
import type { ProcessIO } from "../process/process-io.ts";
import type { TerminalInvocation } from "./choice.ts";
import { readKeybindings } from "./ports/keybindings.ts";
import { readThemeFiles } from "./ports/theme-files.ts";
import type { StatusLine } from "./ports/status-line.ts";
import type { TerminalPage } from "./ports/web-page.ts";
import { watchedSession, type SessionTally } from "./session-tally.ts";
import type { TerminalPort } from "./terminal/port.ts";

export interface HostOptions {
  readonly io: ProcessIO;
  readonly port: TerminalPort;
  readonly snapshot: Snapshot;
  readonly invocation: TerminalInvocation;
  readonly first: WhichSession;
  readonly screenReader: boolean;
  /** Settings of the screen that are kept outside of the settings files, as older programs do. */
  readonly defaults: JsonObject;
  readonly notices: readonly string[];
  readonly end: AbortSignal;
  readonly debug?: Debug;
  /** Called once, when the first session is open. */
  opened(): void;
}

export interface ProgramHost extends TerminalHost {
  /** The newest session and what it did so far. Undefined before one was opened. */
  current(): { readonly session: Session; readonly tally: SessionTally } | undefined;
  /** Shown above the prompt, or once there is one. */
  say(text: string): void;
  /** Closes the session that is open, if one is, and ends what was started beside it. */
  close(reason: EndReason): Promise<void>;
}

/** The session puts the agent's own prompt in its place. */
const EMPTY_PROMPT: Inbound = { type: "user", message: { role: "user", content: "" }, parent_tool_use_id: null };

export function createHost(options: HostOptions): ProgramHost {
  const { io, port, invocation, first, end } = options;
  let { snapshot } = options;
  let open: { readonly session: Session; readonly tally: SessionTally } | undefined;
  let statusLine: StatusLine | undefined;
  let page: TerminalPage | undefined;
  let isFirst = true;
  const later: string[] = [];
  const listeners = new Set<(text: string) => void>();
  const say = (text: string) => {
    later.push(text);
    for (const listener of listeners) listener(text);
  };
  const place = { env: snapshot.env, cwd: snapshot.cwd, port };

  const start = async (which: WhichSession): Promise<Session> => {
    await open?.session.close("interrupt");
    if (open !== undefined) snapshot = reload(snapshot);
    const own = isFirst;
    isFirst = false;
    const session = await (await io.sessions()).open(wanted(which, own));
    const tally: SessionTally = {};
    const beginsItself = own && invocation.prompt === undefined && session.initialPrompt !== undefined;
    open = { session: watchedSession(session, tally, beginsItself ? EMPTY_PROMPT : undefined), tally };
    if (session.announce !== undefined) say(session.announce);
    if (own) options.opened();
    return open.session;
  };

  /** What the command line says about a session is about the first one. */
  const wanted = (which: WhichSession, own: boolean): WantedSession => ({
    front: "terminal",
    snapshot,
    entrypoint: "cli",
    session: choiceOf(which, own ? invocation.session : { kind: "new", persist: invocation.session.persist }),
    join: own && invocation.join ? invocation.join : { refused: () => [], ownAnswers: false },
    ...(own && invocation.worktree ? { worktree: invocation.worktree } : {}),
    ...(own && invocation.setup ? { setup: invocation.setup } : {}),
    ...(options.debug ? { debug: options.debug } : {}),
    warn: say,
  });

  return {
    terminal: port,
    env: snapshot.env,
    cwd: snapshot.cwd,
    home: snapshot.home,
    version: COMPATIBLE_VERSION,
    settings: { ...options.defaults, ...(snapshot.settings as JsonObject) },
    screenReader: options.screenReader,
    first,
    ...(invocation.prompt === undefined ? {} : { prompt: invocation.prompt }),
    notices: options.notices,
    onNotice(listener) {
      for (const text of later) listener(text);
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    end,
    open: start,
    themes: () => readThemeFiles(snapshot),
    keybindings: async () => readKeybindings(snapshot),
    editText: async (text, { extension }) => (await import("./ports/editor.ts")).editText(text, extension, place),
    editFile: async (path, start) => (await import("./ports/editor.ts")).editFile(path, place, start),
    clipboardImage: async () => (await import("./ports/images.ts")).clipboardImage(place),
    async statusLine(input, size, signal) {
      const { StatusLine: Runner, statusLineCommand } = await import("./ports/status-line.ts");
      const command = statusLineCommand(snapshot);
      const sessionId = open?.session.id;
      if (command === undefined || sessionId === undefined) return undefined;
      statusLine ??= new Runner();
      return statusLine.run(command, snapshot, { input, size, signal, sessionId });
    },
    notify(text) {
      void import("./ports/notify.ts").then(({ ring }) => ring(text, snapshot, port));
    },
    async openUrl(text) {
      const { openBrowser } = await import("@keelson/host/secrets");
      const url = URL.parse(text);
      return url !== null && openBrowser(url, { env: snapshot.childEnv, platform: snapshot.origin.platform });
    },
    isFirstTime: async () => (await import("./bookkeeping.ts")).isFirstAutoMode(snapshot),
    async showOnPage(session, proxy) {
      if (page === undefined) {
        const { TerminalPage } = await import("./ports/web-page.ts");
        page ??= new TerminalPage({ io, flags: invocation.flags, warn: say });
      }
      return page.link(session, proxy);
    },
    logins: async () => (await import("./ports/logins.ts")).createLogins(() => snapshot),
    doctor: async () => (await import("../commands/doctor/doctor.ts")).doctorText(io, snapshot.flags),
    explainCall: async (call) => (await import("./ports/explain-call.ts")).explainInSession(call, snapshot),
    now: () => Date.now(),
    current: () => open,
    say,
    async close(reason) {
      await Promise.all([open?.session.close(reason), statusLine?.close()]);
      await page?.close();
    },
  };
}

function choiceOf(which: WhichSession, base: SessionChoice): SessionChoice {
  const { target: _, ...others } = base;
  if (which.kind !== "resume") return { ...others, kind: which.kind };
  return { ...others, kind: "resume", target: which.id, fork: which.fork ?? base.fork ?? false };
}
