// Typing, pasting and sending at the prompt of the real program.

import { expect, test } from "bun:test";
import { isIdle, openAtTerminal } from "./at-terminal.ts";

/** The words of the last user message, without what the program adds. */
function lastWords(requests: readonly { body: unknown }[]): string {
  const { messages } = requests.at(-1)!.body as { messages: { role: string; content: unknown }[] };
  const content = messages.findLast(({ role }) => role === "user")?.content;
  if (typeof content === "string") return content;
  return (content as { text?: string }[]).at(-1)?.text ?? "";
}

test("keys in one chunk, wide characters, new lines and a large paste arrive as they were written", async () => {
  await using at = await openAtTerminal([{ text: "First." }, { text: "Second." }], { columns: 80, rows: 24 });
  const { terminal, model } = at;
  terminal.type("日本👨‍👩‍👧x\x7f\x7fe\u0301 \\\rtwo\x1b[13;2uthree\nfour\r");
  await terminal.until("First.");
  expect(lastWords(model.requests)).toBe("日本e\u0301 \ntwo\nthree\nfour");

  const rows = Array.from({ length: 5_000 }, (_, at) => `row ${at} \x07 /x @y`);
  terminal.type("see ");
  terminal.paste(rows.join("\n"));
  await terminal.until("see [Pasted text #1 +4999 lines]");
  expect(terminal.cursor().column).toBe("❯ see [Pasted text #1 +4999 lines]".length);
  terminal.press("enter");
  await terminal.until("Second.");
  expect(lastWords(model.requests)).toBe(`see ${rows.join("\n")}`);
});

test("commands and files are completed below the prompt, and keybindings.json moves the keys", async () => {
  const bindings = { enter: "chat:newline", f2: "chat:submit" };
  await using at = await openAtTerminal([{ text: "Done." }], {
    columns: 40,
    rows: 15,
    prepare(home) {
      home.write("src/some file.ts", "");
      home.write("~/.claude/keybindings.json", { bindings: [{ context: "Chat", bindings }] });
    },
  });
  const { terminal, model } = at;
  terminal.type("/compa");
  await terminal.until(/❯ \/compact/);
  terminal.press("esc");
  await terminal.until((it) => !it.screen().some((row) => row.startsWith("❯ /compact")));
  terminal.press("ctrl+u");
  terminal.type("see @some");
  await terminal.until("❯ src/some file.ts");
  terminal.press("tab");
  await terminal.until('see @"src/some file.ts"');
  terminal.press("enter");
  terminal.type("and more");
  terminal.press("f2");
  await terminal.until("Done.");
  expect(lastWords(model.requests)).toContain('see @"src/some file.ts" \nand more');
});

test("Esc clears after a question, Up brings the draft back, Ctrl+C twice ends with code 0", async () => {
  await using at = await openAtTerminal([]);
  const { terminal } = at;
  terminal.type("a draft");
  terminal.press("esc");
  await terminal.until("Esc again to clear");
  terminal.press("esc");
  await terminal.until((it) => !it.screen().join("\n").includes("a draft"));
  terminal.press("up");
  await terminal.until("❯ a draft");
  terminal.press("ctrl+c");
  await terminal.until((it) => !it.screen().join("\n").includes("a draft"));
  terminal.press("ctrl+c");
  await terminal.until("Ctrl+C again to exit");
  terminal.press("ctrl+c");
  expect(await terminal.exited).toEqual({ code: 0, signal: null });
});

test("prompts typed while the model works wait above the prompt, and become one when it has answered", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  await using at = await openAtTerminal([{ text: "First answer.", hold: promise }, { text: "Second answer." }]);
  const { terminal, model } = at;
  terminal.type("begin\r");
  await model.waitForRequest(1);
  terminal.type("be quick\r");
  await terminal.until(/⤷ be quick/);
  terminal.type("and careful\r");
  await terminal.until(/⤷ and careful/);
  resolve();
  await terminal.until("Second answer.");
  await terminal.until(isIdle);
  expect(lastWords(model.requests)).toBe("be quick\nand careful");
  const seen = terminal.screen().join("\n");
  expect([seen.match(/be quick/g)?.length, seen.match(/and careful/g)?.length, seen.includes("⤷")]).toEqual([
    1,
    1,
    false,
  ]);
});

test("a picture that is dropped in is read by the session, by its rules; what was typed is in the history", async () => {
  const PNG = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
    "base64",
  );
  await using at = await openAtTerminal([{ text: "Seen." }], {
    settings: { permissions: { deny: ["Read(hidden.png)"] } },
    prepare(home) {
      home.write("shown.png", PNG);
      home.write("hidden.png", PNG);
    },
  });
  const { terminal, model, home } = at;
  terminal.paste(`${home.project}/hidden.png`);
  await terminal.until("hidden.png");
  terminal.press("ctrl+u");
  terminal.paste(`${home.project}/shown.png`);
  await terminal.until("[Image #2]");
  terminal.press("enter");
  await terminal.until("Seen.");
  const { messages } = model.requests[0]!.body as { messages: { content: unknown }[] };
  expect(JSON.stringify(messages)).toContain('"media_type":"image/png"');
  await terminal.until(isIdle);
  terminal.type("/exit\r");
  expect(await terminal.exited).toEqual({ code: 0, signal: null });
  const typed = home.read("~/.claude/history.jsonl").trim().split("\n");
  expect(typed.map((line) => JSON.parse(line).display)).toEqual(["[Image #2] ", "/exit"]);
});
