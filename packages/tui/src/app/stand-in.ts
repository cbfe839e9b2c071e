// A front end of one line, until the real one is joined.

import type { TerminalHost, TerminalOutcome } from "../host.ts";
import type { Panel } from "../screen/view.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { makeTheme } from "../theme/make-theme.ts";
import { listenToKeys } from "./keyboard.ts";

export async function runTerminal(host: TerminalHost): Promise<TerminalOutcome> {
  const { terminal } = host;
  const done = Promise.withResolvers<TerminalOutcome>();
  terminal.setRaw(true);
  terminal.write("\x1b[?2004h> ");
  host.end.addEventListener("abort", () => {
    terminal.write("\x1b[?2004l");
    terminal.setRaw(false);
    done.resolve({ code: 1 });
  });
  let line = "";
  const session = await host.open(host.first);
  void (async () => {
    for await (const message of session.attach({ replay: host.first.kind !== "new" })) {
      const inner = (message as { message?: { content?: unknown } }).message?.content;
      terminal.write(`\r\n${message.type} ${JSON.stringify(inner ?? "").slice(0, 200)}\r\n> ${line}`);
    }
  })();
  const send = (text: string) =>
    session.send({ type: "user", message: { role: "user", content: text }, parent_tool_use_id: null });
  if (host.prompt !== undefined) send(host.prompt);
  const stop = terminal.onInput((chunk) => {
    for (const character of new TextDecoder().decode(chunk)) {
      if (character === "\x03" || character === "\x04") done.resolve({ code: 0 });
      else if (character === "\r") {
        send(line);
        line = "";
      } else {
        line += character;
        terminal.write(character);
      }
    }
  });
  const outcome = await done.promise;
  stop();
  terminal.write("\x1b[?2004l\r\n");
  terminal.setRaw(false);
  return outcome;
}

/** Shows one panel before there is a session. Undefined if `end` aborts or the terminal is gone first. */
export async function askAtTerminal<T>(
  shown: Panel<T> | ((redraw: () => void) => Panel<T>),
  options: Pick<TerminalHost, "env" | "settings" | "now" | "screenReader" | "end"> & { readonly terminal: Terminal },
): Promise<T | undefined> {
  const { terminal, env, settings, now, end } = options;
  const theme = makeTheme({ settings, env });
  const { promise, resolve } = Promise.withResolvers<T | undefined>();
  const draw = () =>
    terminal.write(
      `${panel.render({ columns: terminal.columns, rows: terminal.rows, theme, now: now() }).rows.join("\r\n")}\r\n`,
    );
  const panel: Panel<T> = typeof shown === "function" ? shown(draw) : shown;
  terminal.setRaw(true);
  const stop = listenToKeys(terminal, now, (events) => {
    for (const event of events) {
      const done = panel.take(event, now());
      if (done) return resolve(done.value);
    }
    draw();
  });
  end.addEventListener("abort", () => resolve(undefined));
  draw();
  const value = await promise;
  stop();
  terminal.setRaw(false);
  return value;
}
