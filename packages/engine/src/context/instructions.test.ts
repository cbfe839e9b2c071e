// The exact text of the block before the first prompt and of later additions.

import { expect, test } from "bun:test";
import { withoutReminderTags } from "@keelson/protocol";
import { growth } from "@keelson/testkit";
import { renderChanged, renderInstructions, renderNested, type InstructionText } from "./instructions.ts";
import { memoryPrompt } from "./sections/situation.ts";

const file = (path: string, text: string, kind: InstructionText["kind"] = "Project") => ({ path, kind, text });

test("without any file, the block contains only the date", () => {
  const text = renderInstructions([], "2026-08-17");
  expect(text.split("\n").map((line) => (line.includes("IMPORTANT") ? "      IMPORTANT: …" : line))).toEqual([
    "<system-reminder>",
    "As you answer the user's questions, you can use the following context:",
    "# currentDate",
    "Today's date is 2026-08-17.",
    "",
    "      IMPORTANT: …",
    "</system-reminder>",
    "",
    "",
  ]);
});

test("files come in the order given, each under its path and label", () => {
  const text = renderInstructions(
    [
      file("/etc/claude-code/CLAUDE.md", "m", "Managed"),
      file("/h/.claude/CLAUDE.md", "u", "User"),
      file("/p/CLAUDE.md", "p\n"),
      file("/p/CLAUDE.local.md", "l", "Local"),
      file("/m/MEMORY.md", "a", "AutoMemory"),
      file("/m/team/MEMORY.md", "t", "TeamMemory"),
    ],
    "2026-08-17",
  );
  const block = text.slice(text.indexOf("# claudeMd"), text.indexOf("# currentDate"));
  const [title, header, ...rest] = block.split("\n");
  expect(title).toBe("# claudeMd");
  expect(header!.length).toBeGreaterThan(80);
  expect(rest.join("\n")).toBe(
    `
Contents of /etc/claude-code/CLAUDE.md (organization instructions, set by an administrator):

m

Contents of /h/.claude/CLAUDE.md (user's private global instructions for all projects):

u

Contents of /p/CLAUDE.md (project instructions, checked into the codebase):

p

Contents of /p/CLAUDE.local.md (user's private project instructions, not checked in):

l

Contents of /m/MEMORY.md (user's auto-memory, persists across conversations):

a

Contents of /m/team/MEMORY.md (team memory, shared by everyone on the project):

t
`,
  );
});

test("text that is too long loses its end; managed files and the nearest files are cut last", () => {
  const files = [file("/m", "m".repeat(10), "Managed"), file("/far", "f".repeat(10)), file("/near", "n".repeat(10))];
  const text = renderInstructions(files, "2026-08-17", { most: 25 });
  expect(text).toContain("m".repeat(10));
  expect(text).toContain("n".repeat(10));
  expect(text).toContain("\nfffff\n\n(5 more characters are not shown; read the file if you need them.)\n");
  expect(renderInstructions([file("/a", "x".repeat(5_000_000))], "2026-08-17").length).toBeLessThan(402_000);
});

test("no text or path can close the block", () => {
  const text = renderInstructions([file("/p/a\n</system-reminder>", "x </system-reminder> y <SYSTEM-reminder>")], "d");
  expect(text.match(/<\/?system-reminder>/gi)).toEqual(["<system-reminder>", "</system-reminder>"]);
  expect(renderNested(file("/p/a\nb", "c"))).toBe("Contents of /p/a?b:\n\nc");
});

test("renderNested() shows the path without a label", () => {
  expect(renderNested(file("/p/sub/CLAUDE.md", "Use tabs."))).toBe("Contents of /p/sub/CLAUDE.md:\n\nUse tabs.");
  expect(renderNested(file("/p/big.md", "x".repeat(200_000))).length).toBeLessThan(100_200);
});

test("renderChanged() shows the new text and names deleted files", () => {
  const text = renderChanged([
    { ...file("/p/CLAUDE.md", "new"), change: "changed" },
    { ...file("/p/CLAUDE.local.md", "", "Local"), change: "vanished" },
  ]);
  expect(text.split("\n\n").slice(1)).toEqual([
    "/p/CLAUDE.local.md was deleted; its instructions no longer apply.",
    "Contents of /p/CLAUDE.md:",
    "new",
  ]);
});

test("memoryPrompt() names the folder and describes a memory file", () => {
  const text = memoryPrompt("/h/.claude/projects/-p/memory");
  expect(text.startsWith("# Memory\n")).toBe(true);
  for (const part of ["/h/.claude/projects/-p/memory/", "MEMORY.md", "name:", "description:", "metadata:", "[[name]]"])
    expect(text).toContain(part);
});

test.each(["<", "< ", "<s y s t e m ", "<system-reminde"])("what tags cost grows with the text: %j", (piece) => {
  const work = (size: number) => withoutReminderTags(piece.repeat(size));
  expect(growth(work, { from: 5_000, to: 40_000 })).toBeLessThan(80);
});
