// A front end of one line, until the real one is joined.

import type { TerminalHost, TerminalOutcome } from "../host.ts";

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
