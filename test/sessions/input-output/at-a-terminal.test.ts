// What goes to a terminal without the terminal's own screen: nothing in it is obeyed. A pipe gets the bytes as they are.

import { expect, test } from "bun:test";
import { runKeelson, startMockModel, temporaryHome, type TemporaryHome } from "@keelson/testkit";
import { startTerminal } from "@keelson/testkit/terminal";

/** Sets the clipboard and the title, clears the screen, overwrites a line, turns text around. */
const HOSTILE =
  "\u001b]52;c;ZXZpbA==\u0007\u001b]0;owned\u001b\\\u001b[2J\u009b31m\u0085over\rwritten\u007f\u202eback\u2066\u200e\u2028end";
// oxlint-disable-next-line no-control-regex
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

/** What the program wrote to a terminal; the terminal itself adds a return to each line end. */
async function atTerminal(home: TemporaryHome, args: readonly string[], url?: string): Promise<string> {
  await using terminal = startTerminal({ home, args, env: { NO_COLOR: "1" }, ...(url === undefined ? {} : { url }) });
  await terminal.exited;
  return terminal.bytes.replaceAll("\r\n", "\n");
}

test("-p: text of the model, and errors of its server", async () => {
  using home = temporaryHome();
  await using model = await startMockModel(() => ({ text: `Hello ${HOSTILE} 漢字 👍\n\tdone` }));
  const shown = await atTerminal(home, ["-p", "go"], model.url);
  expect(shown).toContain("Hello \\u001b]52;c;ZXZpbA==\\u0007");
  expect(shown).toContain("over\\u000dwritten\\u007f\\u202eback\\u2066\\u200e\\u2028end 漢字 👍\n\tdone\n");
  expect(shown).not.toMatch(OBEYED);

  const piped = await runKeelson(["-p", "go"], { home, url: model.url });
  expect(piped.stdout).toBe(`Hello ${HOSTILE} 漢字 👍\n\tdone\n`);

  await using failing = await startMockModel(() => ({ status: 400, message: `bad ${HOSTILE}` }));
  const failed = await atTerminal(home, ["-p", "go"], failing.url);
  expect(failed).toContain("bad \\u001b]52");
  expect(failed).not.toMatch(OBEYED);
});

test("-p: JSON and streams have the same values, with what a terminal obeys escaped", async () => {
  using home = temporaryHome();
  await using model = await startMockModel(() => ({ text: HOSTILE }));
  const json = await atTerminal(home, ["-p", "go", "--output-format", "json"], model.url);
  expect(json).not.toMatch(OBEYED);
  expect(JSON.parse(json).result).toBe(HOSTILE);
  const stream = await atTerminal(home, ["-p", "go", "--output-format", "stream-json", "--verbose"], model.url);
  expect(stream).not.toMatch(OBEYED);
  expect(JSON.parse(stream.trim().split("\n").at(-1)!).result).toBe(HOSTILE);
});

const COMMANDS: readonly (readonly string[])[] = [
  ["config", "get", "language"],
  ["config", "get", "env", "--json"],
  ["config", "list"],
  ["config", "list", "--json"],
  ["doctor"],
  ["doctor", "--json"],
  ["mcp", "list"],
  ["mcp", "get", `x${HOSTILE}`],
  ["plugin", "list"],
  ["plugin", "list", "--json"],
  ["skills", "list"],
  ["skills", "list", "--json"],
  ["agents", "list"],
  ["agents", "list", "--json"],
  ["hooks", "list"],
  ["hooks", "list", "--json"],
  ["permissions", "list"],
  ["permissions", "list", "--json"],
  ["instructions", "list", "--json"],
  ["models"],
  ["auth", "status", "--json"],
  ["export"],
  ["trace"],
  [`--no-such-${HOSTILE}`],
];

test("commands that list what files contain, as text and as JSON, and their errors", async () => {
  using home = temporaryHome();
  home.settings({
    language: `en${HOSTILE}`,
    env: { [`A${HOSTILE}`]: HOSTILE },
    permissions: { allow: [`Bash(echo ${HOSTILE})`] },
    hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: `echo ${HOSTILE}` }] }] },
    [`unknown${HOSTILE}`]: HOSTILE,
    enabledPlugins: { [`p${HOSTILE}@shop`]: true },
  });
  home.write(
    "~/.claude/skills/one/SKILL.md",
    `---\nname: one\ndescription: ${JSON.stringify(HOSTILE)}\n---\n${HOSTILE}\n`,
  );
  home.write("~/.claude/agents/one.md", `---\nname: one\ndescription: ${JSON.stringify(HOSTILE)}\n---\n${HOSTILE}\n`);
  home.write(".mcp.json", { mcpServers: { [`m${HOSTILE}`]: { command: "true", args: [HOSTILE] } } });
  await using model = await startMockModel(() => ({ text: HOSTILE }));
  await runKeelson(["-p", `go ${HOSTILE}`], { home, url: model.url });

  for (const args of COMMANDS) expect([args, (await atTerminal(home, args)).match(OBEYED)]).toEqual([args, null]);
});

test("the program's own colors are still colors", async () => {
  using home = temporaryHome();
  home.settings({ permissions: { deny: ["Bash(rm *)"] } });
  await using terminal = startTerminal({ home, args: ["permissions", "list"] });
  await terminal.exited;
  // oxlint-disable-next-line no-control-regex
  expect(terminal.bytes).toMatch(/\u001b\[\d+m/);
  expect(terminal.bytes).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
});
