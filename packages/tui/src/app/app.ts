// The terminal program while it runs: one screen, one prompt, one session at a time. It holds view state only; a session
// attached anew looks the same.

import type { FieldsOf, JsonObject, ListedCommand, Outbound, ResultMessage, TypedPrompt } from "@keelson/protocol";
import { SessionLostError } from "@keelson/protocol/session-lost";
import type { Dialog } from "../dialogs/dialog-context.ts";
import { PromptEditor } from "../editor/prompt.ts";
import type { PromptEffect } from "../editor/effects.ts";
import type { HeldKey } from "../keys/held-key.ts";
import type { TerminalHost, TerminalOutcome, WhichSession } from "../host.ts";
import type { InputEvent, Key } from "../input/event.ts";
import type { Bindings } from "../keys/bindings.ts";
import type { PlainLive } from "../plain/plain-screen.ts";
import type { ScreenPort, ScreenSize } from "../screen/port.ts";
import type { Frame, Panel, Rendered } from "../screen/view.ts";
import type { TerminalModeSwitch } from "../terminal/modes.ts";
import type { Theme } from "../theme/theme.ts";
import { inWords } from "../widgets/in-words.ts";
import { keyLookup, typesText, type KeyLookup } from "../widgets/key-lookup.ts";
import { act } from "./prompt/act.ts";
import { Alerts } from "./alerts.ts";
import { Animation } from "./live/animation.ts";
import { FullWindow } from "./overlays/full-window.ts";
import { LiveParts } from "./live/live-parts.ts";
import { withPanelCommands } from "../panels/commands.ts";
import type { Background } from "../theme/background.ts";
import { Panels, type PanelPlace } from "./overlays/panels.ts";
import { answeredElsewhere, showQuestions } from "./overlays/show-question.ts";
import { promptSources } from "./prompt/sources.ts";
import { StatusRows } from "./live/status-rows.ts";
import { themeOf } from "./theme-of.ts";
import { Talk } from "./session/talk.ts";

/** A screen reader reads everything. */
const ALL_ROWS = 1_000;

/** No one walks farther back with a key; Ctrl+R searches more. */
const WALKED_LINES = 1_000;

/** A question that was covered, or that takes another's place, cannot be answered faster than it is seen. */
const UNSEEN_MS = 300;
/** A session that is lost again so soon is not opened a third time. */
const LOST_AGAIN_MS = 5_000;

export interface AppOptions {
  readonly host: TerminalHost;
  readonly bindings: Bindings;
  readonly theme: Theme;
  readonly modes: Pick<TerminalModeSwitch, "title" | "alternate" | "reportPresses">;
  readonly held: HeldKey;
  /** Makes the screen that draws what `draw` renders. */
  screen(draw: (size: ScreenSize) => Rendered): ScreenPort;
  /** Gives the terminal to another program while it runs. */
  lend<T>(use: () => Promise<T>): Promise<T>;
}

/** Settings that the theme is made from. */
const LOOKS = new Set(["theme", "prefersReducedMotion", "syntaxHighlightingDisabled"]);

export class App {
  readonly host: TerminalHost;
  readonly bindings: Bindings;
  /** The bindings, as panels look them up. */
  readonly keys: KeyLookup;
  readonly screen: ScreenPort;
  readonly prompt: PromptEditor;
  readonly panels = new Panels();
  readonly parts: LiveParts;
  readonly lend: AppOptions["lend"];
  theme: Theme;
  background: Background | undefined;
  /** Of the screen, as they are now. */
  settings: JsonObject;
  talk: Talk;
  /** When someone last typed in the prompt; undefined once it was sent. */
  lastTypedAt: number | undefined;
  /** Changes of the mode that are under way. */
  cycling: Promise<void> = Promise.resolve();
  readonly modes: AppOptions["modes"];
  readonly #held: HeldKey;
  readonly #alerts: Alerts;
  readonly #status: StatusRows;
  readonly #animation: Animation;
  readonly #left = Promise.withResolvers<TerminalOutcome>();
  readonly #window: FullWindow;
  #resets = 0;
  #withdrawnAt = -Infinity;
  #lostAt = -Infinity;
  /** A note to show once the session is open and its conversation is drawn. */
  #news: string | undefined;

  constructor({ host, bindings, theme, screen, lend, modes, held }: AppOptions) {
    this.host = host;
    this.modes = modes;
    this.#held = held;
    this.settings = host.settings;
    this.#window = new FullWindow(this, modes);
    this.bindings = bindings;
    this.keys = keyLookup(bindings);
    this.theme = theme;
    this.lend = lend;
    this.#alerts = new Alerts(host);
    this.prompt = new PromptEditor({
      bindings,
      history: () => this.typedBefore({ limit: WALKED_LINES }),
      sources: promptSources(this),
      changed: () => this.changed(),
      later: (effect) => this.do(effect),
      vim: host.settings["editorMode"] === "vim",
      plain: host.screenReader,
    });
    this.parts = new LiveParts(host, bindings);
    this.talk = this.#newTalk();
    this.#status = new StatusRows(this, () => ({ ...this.screen.size }));
    this.#animation = new Animation(this, this.#status, modes);
    this.screen = screen((size) => this.#draw(size));
  }

  /** Resolves when the user has left. */
  get left(): Promise<TerminalOutcome> {
    return this.#left.promise;
  }

  leave(outcome: TerminalOutcome = { code: 0 }): void {
    this.#animation.stop();
    this.panels.clear();
    this.#status.line.close();
    this.#left.resolve(outcome);
  }

  /** Opens a session in the place of the one before, if there was one. `lastWords`: if that fails. */
  async open(which: WhichSession, lastWords?: string): Promise<void> {
    const talk = this.talk;
    if (which.kind !== "new") talk.awaitReplay();
    try {
      const session = await this.host.open(which);
      talk.opened(session, { replay: which.kind !== "new" });
    } catch (error) {
      talk.failed(error as Error);
      this.leave({ code: 1, lastWords: lastWords ?? (error instanceof Error ? error.message : String(error)) });
    }
  }

  /** Ends this session and opens another. */
  async switchTo(which: WhichSession, lastWords?: string): Promise<void> {
    const before = this.talk;
    this.talk = this.#newTalk();
    if (which.kind !== "new") this.talk.awaitReplay();
    this.parts.clear();
    this.panels.clear();
    this.screen.clear({ scroll: true });
    await before.close();
    await this.open(which, lastWords);
  }

  take(events: readonly InputEvent[]): void {
    for (const event of events) {
      this.#takeOne(event);
      // What is sent has been echoed before.
      if (this.host.screenReader) this.screen.changed({ now: true });
    }
    // An answer of the terminal changes nothing by itself. A burst of keys is one frame; a key by itself is seen at once.
    if (events.every(({ kind }) => kind === "reply")) return;
    if (this.#window.isOpen) this.#window.changed({ now: true });
    else this.changed({ now: true });
  }

  changed(options?: { readonly now?: boolean }): void {
    this.parts.changed();
    this.#window.changed();
    this.screen.changed(options);
  }

  /** Something that moves looks different: the text that is being written, the spinner. */
  moved(): void {
    this.#window.changed();
    this.screen.changed();
  }

  do(effect: PromptEffect): void {
    act(effect, this);
    this.changed();
  }

  /** Shows a panel in the place of the prompt until it is done. */
  async show<T>(panel: Panel<T>, place?: PanelPlace): Promise<T | undefined> {
    const shown = this.panels.show(panel, place);
    this.changed();
    const value = await shown;
    this.changed();
    return value;
  }

  /** Shows a panel over the whole window until it is done. */
  showFullScreen<T>(panel: Panel<T>): Promise<T | undefined> {
    return this.#window.show(panel);
  }

  /** Whether a panel lies over the whole window. */
  get isFullScreen(): boolean {
    return this.#window.isOpen;
  }

  /** A line in the conversation that is not part of the session. */
  note(text: string, level: "quiet" | "info" | "warning" | "error" = "quiet"): void {
    this.talk.feed.add({ kind: "note", level, text });
    this.changed();
  }

  /** What is live, in words. */
  plainLive(): PlainLive {
    const frame = this.frame({ columns: this.screen.size.columns, rows: ALL_ROWS });
    const { feed } = this.talk;
    do this.screen.append(feed.finished(frame));
    while (feed.hasMore);
    const panel = this.panels.top;
    if (panel) return { rows: panel.render(inWords(frame, true)).rows };
    const { line } = this.prompt;
    // A prompt between the rows of an answer would be read out each time.
    return this.talk.isWorking && line.text === "" ? { rows: [] } : { rows: [], line };
  }

  /** For what is done in passing: a failure is shown, not thrown. */
  attempt(work: Promise<unknown>): void {
    work.then(
      () => this.changed(),
      (error: unknown) => this.note(error instanceof Error ? error.message : String(error), "error"),
    );
  }

  /** What the terminal said about its background. */
  setBackground(background: Background): void {
    this.background = background;
    this.#takeTheme();
  }

  /** What was typed at earlier prompts, newest first. */
  async typedBefore(query: FieldsOf<"get_prompt_history">): Promise<readonly TypedPrompt[]> {
    return (await this.talk.request("get_prompt_history", query)).prompts;
  }

  /** All commands that can be typed, those of the terminal itself included. */
  commands(): readonly ListedCommand[] {
    return withPanelCommands(this.talk.facts.commands);
  }

  /** A setting that was changed in a panel, as far as the screen uses it. */
  setSetting(key: string, value: unknown): void {
    this.settings = { ...this.settings, [key]: value as JsonObject[string] };
    if (key === "editorMode") this.attempt(this.prompt.setVim(value === "vim"));
    if (LOOKS.has(key)) this.#takeTheme();
  }

  /** To the clipboard, through the terminal. */
  copy(text: string): void {
    this.host.terminal.write(`\u001b]52;c;${Buffer.from(text).toString("base64")}\u0007`);
  }

  /** The conversation continues from before this prompt. */
  rewound(point: { readonly id: string }): void {
    this.talk.facts.rewound(point.id);
    this.changed();
  }

  frame(size: ScreenSize): Frame {
    return inWords({ ...size, theme: this.theme, now: this.host.now() }, this.host.screenReader);
  }

  #takeTheme(): void {
    this.theme = themeOf(this.host, this.settings, this.background);
    this.changed();
  }

  #newTalk(): Talk {
    const { host, bindings } = this;
    const talk: Talk = new Talk({
      cwd: host.cwd,
      hint: (action) => ["Global", "Chat", "Task"].map((place) => bindings.keyFor(place, action)).find(Boolean),
      spoken: host.screenReader,
      showDuration: host.settings["showTurnDuration"] !== false,
      verbose: () => this.settings["verbose"] === true || this.settings["viewMode"] === "verbose",
      now: () => host.now(),
      changed: () => this.talk === talk && this.changed(),
      ready: () => {
        if (this.talk !== talk) return;
        this.#status.opened();
        if (this.#news !== undefined) this.note(this.#news, "warning");
        this.#news = undefined;
      },
      informed: () => {
        const { contextWindow } = talk.facts;
        if (this.talk === talk && contextWindow !== undefined) this.parts.tokens.setWindow(contextWindow);
      },
      message: (message) => this.talk === talk && this.#heard(message),
      asked: () => this.talk === talk && this.#ask(),
      withdrawn: (id, answeredBy) => {
        if (answeredBy) this.note(answeredElsewhere(answeredBy), "info");
        // What is pressed now may have been meant for it, not for the question that takes its place.
        if (question(this.panels.top)) this.#withdrawnAt = host.now();
        this.panels.remove(id);
        this.#ask();
        this.changed();
      },
      unshown: (error) => this.note(`A message could not be shown: ${String(error)}`, "error"),
      ended: (error) => {
        if (this.talk === talk) this.#ended(error);
      },
    });
    return talk;
  }

  /** Someone types, also if the key waits: a question that came up meanwhile goes on waiting for the end of it. */
  pressed(): void {
    this.#isHeld(this.host.now());
  }

  #takeOne(event: InputEvent): void {
    const now = this.host.now();
    if (event.kind === "focus") return this.#alerts.focus(event.focused);
    if (event.kind === "reply") return this.screen.reply(event);
    this.#alerts.pressed(now);
    if (event.kind === "key" && this.#isForAll(event)) return;
    if (this.#window.isOpen) {
      this.lastTypedAt = now;
      this.#window.take(event, now);
    } else if (this.panels.top && !this.#isHeld(now)) {
      // Answering a question is not typing: the next one may be answered at once.
      const { top } = this.panels;
      if (!question(top)) this.lastTypedAt = now;
      this.panels.take(event, now);
      if (question(top) && this.panels.top !== top) this.#held.used(event, now);
    } else if (!this.panels.takeBelow(event, now) && !this.parts.closeShortcuts(event)) {
      const { isWorking, queued } = this.talk;
      this.prompt.working = isWorking;
      this.prompt.queued = queued.count;
      const effect = this.prompt.take(event, now);
      // Who sent a prompt waits for what comes of it, but not for what the run before it asks.
      this.lastTypedAt = effect?.kind === "submit" && !isWorking ? undefined : now;
      if (effect?.kind === "submit") this.#held.used(event, now);
      if (effect) act(effect, this);
    }
  }

  /** Keys that do the same over a panel, a question or a viewer as in the prompt. */
  #isForAll(key: Key): boolean {
    const { isOpen } = this.#window;
    if ((!isOpen && !this.panels.top) || typesText(key)) return false;
    const action = this.keys.action(key, ["Global"]);
    if (action === "app:suspend") act({ kind: "suspend" }, this);
    else if (action === "app:toggleTranscript" && !isOpen) act({ kind: "toggle-transcript" }, this);
    else return false;
    return true;
  }

  /** A dialog came up while someone typed: the next keys still belong to what was there before. */
  #isHeld(now: number): boolean {
    const top = question(this.panels.top);
    const isHeld =
      top !== undefined && (top.holdsKeys(now) || now - Math.max(this.#window.closedAt, this.#withdrawnAt) < UNSEEN_MS);
    if (isHeld) top.held(now);
    return isHeld;
  }

  #heard(message: Outbound): void {
    const now = this.host.now();
    const { feed } = this.talk;
    this.parts.take(message, now);
    this.#status.take(message);
    if (feed.resets !== this.#resets) {
      this.#resets = feed.resets;
      this.screen.clear({ scroll: true });
    }
    if (message.type === "result") this.#alerts.finished(this.parts.startedMs, now);
    if (message.type === "result" && message.is_error) this.attempt(this.#sayNextStep(message));
    // Whether more than that looks different, the parts have taken from the message.
    this.moved();
  }

  /** Whose model it was is asked now: it may have changed since the start. */
  async #sayNextStep(result: ResultMessage): Promise<void> {
    const { talk } = this;
    const { nextStep } = await import("./session/next-step.ts");
    const info = await talk.request("get_session_info", { provider: true }).catch(() => undefined);
    const step = nextStep(result, info?.provider);
    if (step !== undefined && this.talk === talk) this.note(step, "warning");
  }

  #ask(): void {
    this.attempt(showQuestions(this, (request) => this.#alerts.asked(request)));
  }

  #ended(error: Error | undefined): void {
    const now = this.host.now();
    // Twice in a row, something is wrong with the session itself.
    if (error instanceof SessionLostError && !error.wasLimited && now - this.#lostAt > LOST_AGAIN_MS) {
      this.#lostAt = now;
      this.attempt(this.#openAgain(error));
    } else if (error) this.leave({ code: 1, lastWords: error.message });
    else this.leave();
  }

  /** The program that had the session open is gone: it is continued here, or in the next that was attached to it. */
  async #openAgain({ sessionId, why, message }: SessionLostError): Promise<void> {
    const { isWorking, queued } = this.talk;
    const { drafts } = queued;
    const stopped = isWorking ? ". What the agent was doing was interrupted" : "";
    this.#news = `${why}; this terminal opened it again${stopped}`;
    await this.switchTo({ kind: "resume", id: sessionId }, message);
    if (drafts.length > 0) this.prompt.prepend(drafts);
  }

  #draw(size: ScreenSize): Rendered {
    const frame = this.frame(size);
    const { feed } = this.talk;
    this.prompt.working = this.talk.isWorking;
    this.screen.append(feed.finished(frame));
    this.#animation.step(frame.now);
    return this.parts.render(
      { talk: this.talk, prompt: this.prompt, panels: this.panels, status: this.#status.line },
      frame,
    );
  }
}

/** The panel, if it asks for the session. */
function question(panel: Panel<unknown> | undefined): Dialog | undefined {
  return panel && "holdsKeys" in panel ? (panel as Dialog) : undefined;
}
