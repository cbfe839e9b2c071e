import { expect, test } from "bun:test";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TypedPrompt } from "@keelson/protocol";
import { appendTypedPrompt, historyPath, readTypedPrompts } from "./prompt-history.ts";

function folder() {
  const path = mkdtempSync(join(tmpdir(), "keelson-history-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

const typed = (display: string, project = "/p", more: Partial<TypedPrompt> = {}): TypedPrompt => ({
  display,
  pastedContents: {},
  timestamp: 1_794_725_510_092,
  project,
  ...more,
});
const displays = (prompts: readonly TypedPrompt[]) => prompts.map(({ display }) => display);

test("a prompt is one line with the fields of the reference, and comes back as it was", () => {
  using home = folder();
  const prompt = typed("see [Pasted text #1 +2 lines]", "/p", {
    pastedContents: { "1": { id: 1, type: "text", content: "a\nb\nc" } },
    sessionId: "s",
  });
  appendTypedPrompt(home.path, prompt);
  const path = historyPath(home.path);
  expect(readFileSync(path, "utf8")).toBe(
    `{"display":"see [Pasted text #1 +2 lines]","pastedContents":{"1":{"id":1,"type":"text","content":"a\\nb\\nc"}},"timestamp":1794725510092,"project":"/p","sessionId":"s"}\n`,
  );
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readTypedPrompts(home.path, { limit: 5 })).toEqual([prompt]);
});

test("the newest come first, of one folder or of all, up to the limit", () => {
  using home = folder();
  for (const [display, project] of [
    ["a", "/p"],
    ["b", "/q"],
    ["c", "/p"],
    ["d", "/p"],
  ] as const)
    appendTypedPrompt(home.path, typed(display, project));
  expect(displays(readTypedPrompts(home.path, { limit: 2, project: "/p" }))).toEqual(["d", "c"]);
  expect(displays(readTypedPrompts(home.path, { limit: 9 }))).toEqual(["d", "c", "b", "a"]);
  expect(readTypedPrompts(home.path, { limit: 9, project: "/r" })).toEqual([]);
  expect(readTypedPrompts(join(home.path, "none"), { limit: 9 })).toEqual([]);
});

test("lines that are no prompts are skipped, and a torn one does not swallow the next", () => {
  using home = folder();
  const path = historyPath(home.path);
  writeFileSync(path, `\n[]\nnot json\n{"display":7}\n${JSON.stringify(typed("ok"))}\n{"display":"to`);
  appendTypedPrompt(home.path, typed("next"));
  expect(displays(readTypedPrompts(home.path, { limit: 9 }))).toEqual(["next", "ok"]);
});

test("lines longer than a chunk, and characters at its edge, are read whole", () => {
  using home = folder();
  const long = "é".repeat(100_001);
  for (const display of ["first", long, "last"]) appendTypedPrompt(home.path, typed(display));
  for (let at = 0; at < 40; at++) appendFileSync(historyPath(home.path), `${"x".repeat(at * 97)}\n`);
  expect(displays(readTypedPrompts(home.path, { limit: 9 }))).toEqual(["last", long, "first"]);
});

test("a link is not followed, neither to read nor to write", () => {
  using home = folder();
  const target = join(home.path, "target");
  writeFileSync(target, `${JSON.stringify(typed("theirs"))}\n`);
  symlinkSync(target, historyPath(home.path));
  expect(readTypedPrompts(home.path, { limit: 9 })).toEqual([]);
  expect(() => appendTypedPrompt(home.path, typed("mine"))).toThrow();
  expect(readFileSync(target, "utf8")).not.toContain("mine");
});

test("several programs that write at once lose nothing", async () => {
  using home = folder();
  const script = join(home.path, "writer.ts");
  const module = join(import.meta.dir, "prompt-history.ts");
  writeFileSync(
    script,
    `import { appendTypedPrompt } from ${JSON.stringify(module)};
for (let n = 0; n < 100; n++)
  appendTypedPrompt(process.argv[2], { display: process.argv[3] + n, pastedContents: {}, timestamp: n, project: "/p" });`,
  );
  const programs = ["a", "b", "c"].map((name) => Bun.spawn([process.execPath, script, home.path, name]));
  expect(await Promise.all(programs.map(({ exited }) => exited))).toEqual([0, 0, 0]);
  const all = displays(readTypedPrompts(home.path, { limit: 1_000 }));
  expect(new Set(all).size).toBe(300);
  for (const name of ["a", "b", "c"]) {
    const own = all.filter((display) => display.startsWith(name));
    expect(own).toEqual(Array.from({ length: 100 }, (_, n) => `${name}${99 - n}`));
  }
});
