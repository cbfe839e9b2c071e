// keelson export on real sessions: which one, where to, and transcripts that are large or damaged.

import { expect, test } from "bun:test";
import {
  appendFileSync,
  existsSync,
  openSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
  closeSync,
} from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, transcriptFiles } from "@keelson/testkit";

test("export writes the most recent session of the folder, or the one that is named", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    { calls: [{ name: "Bash", input: { command: "echo hello; printf '\\033[31mred'" } }] },
    { text: "It says hello" },
    { text: "second" },
  ]);
  const allow = ["--allowedTools=Bash(*)"];
  await runKeelson(["-p", "Say hello", "--name", "First one", ...allow], { home, url: model.url });
  await runKeelson(["-p", "Again"], { home, url: model.url });

  const latest = await runKeelson(["export"], { home });
  expect({ code: latest.code, stderr: latest.stderr }).toEqual({ code: 0, stderr: "" });
  expect(latest.stdout).toEndWith("## User\n\nAgain\n\n## Assistant\n\nsecond\n\n");

  const named = await runKeelson(["export", "First one", "--format", "json"], { home });
  const { session, items } = JSON.parse(named.stdout);
  expect(session).toMatchObject({ title: "First one", cwd: home.project });
  const shown = items.filter(({ kind }: any) => kind !== "context");
  expect(shown.map(({ kind }: any) => kind)).toEqual(["prompt", "call", "result", "reply"]);
  expect(shown[2]).toMatchObject({ tool: "Bash", isError: false, text: "hello\n\u001b[31mred" });
  expect((await runKeelson(["export", session.id.slice(0, 8)], { home })).stdout).toContain("␛[31mred");
});

test("the file extension chooses the format; a file is replaced only on request, and never through a link", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "<b>hi</b>" }]);
  await runKeelson(["-p", "hi"], { home, url: model.url });
  const file = join(home.project, "out.html");

  const written = await runKeelson(["export", "-o", "out.html"], { home });
  expect({ code: written.code, stdout: written.stdout }).toEqual({ code: 0, stdout: "" });
  expect(written.stderr).toMatch(/^Wrote session \S+ to out\.html\n$/);
  expect(readFileSync(file, "utf8").includes('"text":"\\u003cb>hi\\u003c/b>"')).toBe(true);
  expect(readFileSync(file, "utf8").includes("<b>hi")).toBe(false);
  expect(statSync(file).mode & 0o777).toBe(0o600);

  const pdf = await runKeelson(["export", "-o", "out.pdf"], { home });
  expect([pdf.code, pdf.stderr]).toEqual([1, 'error: ".pdf" is not a format; use --format markdown, html or json\n']);

  writeFileSync(file, "mine");
  const nowhere = await runKeelson(["export", "-o", "none/out.html"], { home });
  expect(nowhere.stderr).toMatch(/^error: cannot write ".*none\/out\.html"; its folder does not exist\n$/);

  const again = await runKeelson(["export", "-o", "out.html"], { home });
  expect(again.code).toBe(1);
  expect(again.stderr).toContain("already exists; choose another name, or use --force to replace it");
  expect(readFileSync(file, "utf8")).toBe("mine");
  expect((await runKeelson(["export", "-o", "out.html", "--force"], { home })).code).toBe(0);
  expect(readFileSync(file, "utf8")).toStartWith("<!doctype html>");

  symlinkSync(join(home.root, "elsewhere.md"), join(home.project, "link.md"));
  for (const force of [[], ["--force"]]) {
    const linked = await runKeelson(["export", "-o", "link.md", ...force], { home });
    expect(linked.code).toBe(1);
    expect(linked.stderr).toContain("is a link");
  }
  expect(existsSync(join(home.root, "elsewhere.md"))).toBe(false);
});

test("a wrong name, a folder without sessions and too many words are errors that help", async () => {
  using home = temporaryHome();
  const empty = await runKeelson(["export"], { home });
  expect({ code: empty.code, stderr: empty.stderr }).toEqual({
    code: 1,
    stderr: "error: this folder has no sessions yet\n",
  });
  await using model = await startMockModel([{ text: "hi" }]);
  await runKeelson(["-p", "hi"], { home, url: model.url });
  expect((await runKeelson(["export", "nope"], { home })).stderr).toContain(
    `no session in this folder has the ID or title "nope"`,
  );
  const words = await runKeelson(["export", "the", "data"], { home });
  expect({ code: words.code, stdout: words.stdout }).toEqual({ code: 1, stdout: "" });
  expect(words.stderr).toContain("quote a title that contains spaces");
});

test("damaged lines are skipped and counted; a large transcript is not held in memory", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "hi" }]);
  await runKeelson(["-p", "hi"], { home, url: model.url });
  const [file] = transcriptFiles(home);
  appendFileSync(file!, '{"parentUuid":"half\nnot JSON at all\n');
  const damaged = await runKeelson(["export"], { home });
  expect(damaged.code).toBe(0);
  expect(damaged.stdout).toContain("*2 damaged lines of the transcript were skipped*");
  expect(damaged.stderr).toBe("warning: 2 damaged lines of the transcript could not be read and were skipped\n");

  const small = await peakOf(home, join(home.project, "small.json"));
  grow(file!, 96);
  const large = await peakOf(home, join(home.project, "large.json"));
  expect(statSync(join(home.project, "large.json")).size).toBeGreaterThan(90_000_000);
  expect(large - small).toBeLessThan(90_000_000);
});

/** The most memory that an export took. */
async function peakOf(home: ReturnType<typeof temporaryHome>, file: string): Promise<number> {
  const program = join(import.meta.dir, "../../../packages/cli/src/bin.ts");
  const child = Bun.spawn([process.execPath, program, "export", "-o", file], { cwd: home.project, env: home.env });
  expect(await child.exited).toBe(0);
  return child.resourceUsage()!.maxRSS;
}

/** Adds so many megabytes of prompts to a transcript. */
function grow(file: string, megabytes: number): void {
  const last = JSON.parse(
    readFileSync(file, "utf8")
      .split("\n")
      .findLast((line) => line.includes('"type":"assistant"'))!,
  );
  const fd = openSync(file, "a");
  let parentUuid: string = last.uuid;
  for (let index = 0; index < megabytes; index++) {
    const uuid = crypto.randomUUID();
    const message = { role: "user", content: `${index} `.padEnd(1_000_000, "word ") };
    writeSync(fd, `${JSON.stringify({ ...last, parentUuid, uuid, type: "user", message })}\n`);
    parentUuid = uuid;
  }
  closeSync(fd);
}

test("what was said before a compaction is in the export, and where the compaction was", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    { text: "first" },
    { text: "more" },
    { text: "<summary>In short</summary>" },
    { text: "second" },
  ]);
  const run = (words: string, ...flags: readonly string[]) =>
    runKeelson(["-p", words, ...flags], { home, url: model.url });
  await run("One");
  await run("And", "--continue");
  await run("/compact", "--continue");
  await run("Two", "--continue");
  const { stdout } = await runKeelson(["export"], { home });
  const places = ["\nOne\n", "\nfirst\n", "*Conversation compacted (manual)", "\nTwo\n", "\nsecond\n"].map((text) =>
    stdout.indexOf(text),
  );
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places).not.toContain(-1);
  expect(stdout).toContain("In short");
  const events = JSON.parse((await runKeelson(["trace"], { home })).stdout).traceEvents;
  expect(events.filter(({ cat }: any) => cat === "compaction").map(({ args }: any) => args.trigger)).toEqual([
    "manual",
  ]);
});
