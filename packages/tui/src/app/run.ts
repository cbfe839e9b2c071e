// Takes the terminal, shows a session on it, and gives the terminal back however that ends.

import { VERSION } from "@keelson/protocol";
import type { TerminalHost, TerminalOutcome } from "../host.ts";
import { Bindings } from "../keys/bindings.ts";
import { HeldKey } from "../keys/held-key.ts";
import { renderBanner } from "../life/banner.ts";
import type { ScreenPort } from "../screen/port.ts";
import { Screen } from "../screen/screen.ts";
import type { InputEvent } from "../input/event.ts";
import type { Panel, Rendered } from "../screen/view.ts";
import { TerminalModeSwitch } from "../terminal/modes.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { backgroundFromReply } from "../theme/background.ts";
import { makeTheme } from "../theme/make-theme.ts";
import { themeOf } from "./theme-of.ts";
import { App } from "./app.ts";
import { listenToKeys } from "./keyboard.ts";

/** Resolves when the user leaves, or when `host.end` aborts. The terminal is restored by then. */
export async function runTerminal(host: TerminalHost): Promise<TerminalOutcome> {
  const { terminal, env, settings } = host;
  const modes = new TerminalModeSwitch({ terminal, env });
  const held = new HeldKey();
  const keys = await host.keybindings();
  const { bindings, problems } = Bindings.read(keys.text);
  const { PlainScreen } = host.screenReader ? await import("../plain/plain-screen.ts") : {};
  const app: App = new App({
    host,
    bindings,
    theme: themeOf(host, settings, undefined),
    modes,
    held,
    screen: (draw): ScreenPort =>
      PlainScreen
        ? new PlainScreen({ terminal, draw: () => app.plainLive() })
        : new Screen({ terminal, draw, now: host.now, schedule, env, showCursor: true }),
    lend: (use) => lend(use),
  });
  const lend = async <T>(use: () => Promise<T>): Promise<T> => {
    app.screen.pause();
    // The screen has left it.
    modes.alternate(false);
    await app.screen.answered();
    stopListening();
    modes.restore();
    try {
      return await use();
    } finally {
      modes.enter();
      stopListening = listen();
      modes.alternate(app.isFullScreen);
      app.screen.resume();
    }
  };
  const listen = () =>
    listenToKeys(terminal, {
      now: host.now,
      held,
      focus: () => app.panels.top,
      pressed: () => app.pressed(),
      take: (events) => {
        for (const event of events) {
          if (event.kind !== "reply") continue;
          modes.reply(event);
          const background = backgroundFromReply(event);
          if (background) app.setBackground(background);
        }
        app.take(events);
      },
    });

  modes.enter();
  let stopListening = listen();
  const stopWatching = [
    host.onNotice((text) => app.note(text, "warning")),
    terminal.onGone(() => app.leave({ code: 129 })),
    onAbort(host.end, () => {
      try {
        app.screen.end();
      } finally {
        modes.restore();
        app.leave({ code: 1 });
      }
    }),
  ];
  try {
    const notices = [
      ...host.notices,
      ...(settings["tui"] === "fullscreen"
        ? ['"tui": "fullscreen" is ignored: Keelson keeps the scrollback of the terminal']
        : []),
      ...(settings["viewMode"] === "focus" ? ['"viewMode": "focus" is ignored: there is no focus view'] : []),
      ...problems.map((problem) => `${keys.path}: ${problem}`),
    ];
    const facts = {
      version: VERSION,
      cwd: host.cwd,
      home: host.home,
      notices,
      settings,
      spoken: host.screenReader,
      key: (action: string) => bindings.keyFor(action.startsWith("chat:") ? "Chat" : "Global", action),
    };
    app.screen.append([...renderBanner(facts, app.frame(app.screen.size)), ""]);
    app.screen.changed({ now: true });
    // After the first frame: what opens a session takes longer than anything else at the start.
    await new Promise((resolve) => setImmediate(resolve));
    void app.open(host.first);
    if (host.prompt !== undefined) app.talk.say({ content: host.prompt, draft: host.prompt });
    return await app.left;
  } finally {
    for (const stop of stopWatching) stop();
    // An answer of the terminal that comes later would end up at the shell's prompt.
    await app.screen.answered();
    stopListening();
    app.screen.end();
    modes.restore();
  }
}

/** As long as it takes to read what the terminal has kept. */
const TYPED_AHEAD_MS = 10;

/**
 * Shows one panel before there is a session. Undefined if `end` aborts or the terminal is gone first. A panel that changes
 * by itself is made here, and says when.
 */
export async function askAtTerminal<T>(
  shown: Panel<T> | ((redraw: () => void) => Panel<T>),
  options: Pick<TerminalHost, "env" | "settings" | "now" | "screenReader" | "end"> & {
    readonly terminal: Terminal;
    /** The same for every panel: a key that answered one may still be held down. */
    readonly held: HeldKey;
  },
): Promise<T | undefined> {
  const { terminal, env, settings, now, end, held } = options;
  const modes = new TerminalModeSwitch({ terminal, env });
  let theme = makeTheme({ settings, env });
  const { promise, resolve } = Promise.withResolvers<T | undefined>();
  let isDrawn = false;
  const panel = typeof shown === "function" ? shown(() => isDrawn && screen.changed()) : shown;
  const draw = (size: { columns: number; rows: number }): Rendered => panel.render({ ...size, theme, now: now() });
  const { PlainScreen } = options.screenReader ? await import("../plain/plain-screen.ts") : {};
  const screen: ScreenPort = PlainScreen
    ? new PlainScreen({ terminal, draw: () => ({ rows: draw({ columns: terminal.columns || 80, rows: 1_000 }).rows }) })
    : new Screen({ terminal, draw, now, schedule, env, showCursor: true });
  modes.enter();
  modes.reportPresses(true);
  const take = (events: readonly InputEvent[]) => {
    for (const event of events) {
      if (event.kind === "reply") {
        modes.reply(event);
        screen.reply(event);
        const background = backgroundFromReply(event);
        if (background) theme = makeTheme({ settings, env, background });
        continue;
      }
      if (!isDrawn) continue;
      const done = panel.take(event, now());
      if (!done) continue;
      held.used(event, now());
      return resolve(done.value);
    }
    if (isDrawn) screen.changed({ now: true });
  };
  const stops = [
    listenToKeys(terminal, { now, held, focus: () => panel, take }),
    terminal.onGone(() => resolve(undefined)),
    onAbort(end, () => {
      screen.end();
      modes.restore();
      resolve(undefined);
    }),
  ];
  try {
    // What was typed before the question is on the screen is no answer to it.
    await new Promise((typedAhead) => setTimeout(typedAhead, TYPED_AHEAD_MS));
    isDrawn = true;
    screen.changed({ now: true });
    return await promise;
  } finally {
    await screen.answered();
    for (const stop of stops) stop();
    screen.end();
    modes.restore();
  }
}

function schedule(callback: () => void, ms: number): () => void {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}

function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) listener();
  signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}
