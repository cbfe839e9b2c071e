// keelson sessions: what is listed and shown, and that a session which is open elsewhere is renamed there and not deleted.

import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import {
  runKeelson,
  startKeelson,
  startMockModel,
  temporaryHome,
  transcriptFiles,
  type TemporaryHome,
} from "@keelson/testkit";
import { startTerminal } from "@keelson/testkit/terminal";
import { writeState } from "../terminal/at-terminal.ts";

const ID = "11111111-2222-4333-8444-555555555555";
const OTHER = "22222222-2222-4333-8444-555555555555";
const LIVE = ["-p", "--output-format", "stream-json", "--verbose", "--input-format", "stream-json"];
const isResult = (json: { type?: string }) => json.type === "result";

async function sessions(home: TemporaryHome, ...args: string[]) {
  const { code, stdout, stderr } = await runKeelson(["sessions", ...args], { home });
  return { code, stdout, stderr };
}

/** A session with two prompts and two answers, and another of one prompt with a call. */
async function twoSessions(home: TemporaryHome): Promise<void> {
  home.write("a.txt", "x");
  await using model = await startMockModel([
    { text: "One" },
    { text: "Two" },
    { calls: [{ name: "Read", input: { file_path: `${home.project}/a.txt` } }] },
    { text: "Three" },
  ]);
  home.write(`~/.claude/file-history/${ID}/0123456789abcdef@v1`, "x");
  home.write(`~/.claude/file-history/${OTHER}/0123456789abcdef@v1`, "x");
  const { url } = model;
  await runKeelson(["-p", "Fix the parser", "--session-id", ID], { home, url });
  await runKeelson(["-p", "thanks", "--resume", ID], { home, url });
  await runKeelson(["-p", "Read a.txt", "--session-id", OTHER], { home, url });
}

test("sessions are listed by their topic with the number of messages, shown, renamed and deleted", async () => {
  using home = temporaryHome();
  expect(await sessions(home, "list")).toEqual({
    code: 0,
    stdout: "No sessions in this folder; --all lists those of all folders\n",
    stderr: "",
  });
  await twoSessions(home);

  const listed = JSON.parse((await sessions(home, "list", "--json")).stdout);
  expect(listed.map(({ id, title, messages }: any) => [id, title, messages])).toEqual([
    [OTHER, "Read a.txt", 3],
    // Not "thanks", which says nothing about it.
    [ID, "Fix the parser", 4],
  ]);
  const table = (await sessions(home, "list", "--limit", "1")).stdout.trimEnd().split("\n");
  expect(table[0]).toMatch(/^id +modified +messages +title$/);
  expect(table[1]).toMatch(new RegExp(`^${OTHER}  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d +3 +Read a.txt$`));
  expect(table[2]).toBe("1 more; --limit 2 shows all");

  expect(JSON.parse((await sessions(home, "show", "1111", "--json")).stdout)).toMatchObject({
    id: ID,
    title: "Fix the parser",
    messages: 4,
    cwd: home.project,
    open: null,
    path: transcriptFiles(home).find((path) => path.includes(ID)),
  });
  expect((await sessions(home, "show")).stdout).toContain(`To resume     keelson --resume ${OTHER}`);

  expect((await sessions(home, "rename", "1111", "The parser")).stdout).toBe(`Renamed session ${ID}\n`);
  expect((await sessions(home, "show", "the parser")).stdout).toContain("Title         The parser\n");
  // A mistake in one name deletes none.
  const mistaken = await sessions(home, "rm", "The parser", "nothing");
  expect([mistaken.code, mistaken.stderr]).toEqual([
    1,
    'error: no session in this folder has the ID or title "nothing"; --all looks in all folders\n',
  ]);
  expect((await sessions(home, "rm", "The parser")).stdout).toBe(`Deleted session ${ID}\n`);
  expect(transcriptFiles(home).some((path) => path.includes(ID))).toBe(false);
  expect(readdirSync(join(home.configDir, "file-history"))).toEqual([OTHER]);
  home.write("elsewhere/x", "");
  const all = await runKeelson(["sessions", "show", "2222", "--all"], { home, cwd: `${home.project}/elsewhere` });
  expect(all.stdout).toContain("Read a.txt");
});

test("a session is found by the title that is listed, with --all or without, and several are refused", async () => {
  using home = temporaryHome();
  await twoSessions(home);
  home.write("elsewhere/x", "");
  const elsewhere = (...args: string[]) =>
    runKeelson(["sessions", ...args, "--all"], { home, cwd: `${home.project}/elsewhere` });
  const none = 'error: no session has the ID or title "nothing"\n';
  expect((await elsewhere("rm", "nothing")).stderr).toBe(none);
  expect((await sessions(home, "show", "nothing", "--all")).stderr).toBe(none);
  // What it was asked first, until it has a name.
  expect((await sessions(home, "show", "fix  the Parser")).stdout).toContain(ID);
  expect((await elsewhere("rename", "fix the parser", "Read a.txt")).stdout).toBe(`Renamed session ${ID}\n`);
  const several =
    'error: several sessions have the ID or title "read a.txt"; use an ID:\n' +
    `${ID}  Read a.txt\n${OTHER}  Read a.txt\n`;
  for (const run of [sessions(home, "rm", "read a.txt"), elsewhere("rm", "read a.txt")]) {
    const { code, stderr, stdout } = await run;
    const [head, ...rows] = stderr.split(/(?<=\n)/);
    expect([code, stdout, [head, ...rows.toSorted()].join("")]).toEqual([1, "", several]);
  }
  expect((await sessions(home, "rm", ID)).code).toBe(0);
  expect((await sessions(home, "rm", "Read a.txt")).stdout).toBe(`Deleted session ${OTHER}\n`);
});

test("a session that is open in another program is renamed there, and is not deleted", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "One" }, { text: "Two" }]);
  await using owner = startKeelson([...LIVE, "--session-id", ID], { home, url: model.url, stdin: "open" });
  owner.send({ type: "user", message: { role: "user", content: "First" } });
  await owner.waitForLine(isResult);
  const shown = JSON.parse((await sessions(home, "show", ID, "--json")).stdout);
  expect(shown.open).toEqual({ name: expect.any(String), pid: expect.any(Number) });

  expect((await sessions(home, "rename", ID, "Named outside")).code).toBe(0);
  const refused = await sessions(home, "rm", ID);
  expect([refused.code, refused.stdout]).toEqual([1, ""]);
  expect(refused.stderr).toContain(`session ${ID} is open in `);
  expect(refused.stderr).toContain("end it there first");
  expect(existsSync(shown.path)).toBe(true);

  owner.send({ type: "user", message: { role: "user", content: "Second" } });
  await owner.waitForLine((json) => isResult(json) && json.result === "Two");
  owner.closeStdin();
  await owner.done;
  expect((await sessions(home, "show", ID)).stdout).toContain("Title         Named outside\n");
  expect((await sessions(home, "rm", ID)).code).toBe(0);
  expect(existsSync(shown.path)).toBe(false);
});

for (const [columns, rows] of [
  [120, 40],
  [80, 24],
  [50, 30],
  [80, 10],
] as const)
  test(`the list to resume from has topics and the number of messages (${columns}×${rows})`, async () => {
    using home = temporaryHome();
    await twoSessions(home);
    writeState(home);
    await using terminal = startTerminal({ home, columns, rows, args: ["--resume"] });
    await terminal.until("Fix the parser");
    await terminal.until("4 messages");
    await terminal.until("3 messages");
    terminal.press("escape");
    await terminal.exited;
  });
