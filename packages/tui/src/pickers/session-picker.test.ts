import { expect, test } from "bun:test";
import type { ListedSession } from "@keelson/protocol";
import { frame, key, keys, NOW, randomKeys, settled, shown, SIZES, typing } from "../panels/panel.test-support.ts";
import type { Panel } from "../screen/view.ts";
import type { SessionShelf } from "./session-shelf.ts";
import { sessionPicker, type PickedSession, type SessionPickerOptions } from "./session-picker.ts";

const HOUR = 3_600_000;

const SESSIONS: readonly ListedSession[] = [
  {
    sessionId: "b",
    summary: "",
    firstPrompt: "write\na parser",
    lastModified: NOW - 30 * HOUR,
    fileSize: 34_000,
    gitBranch: "main",
  },
  {
    sessionId: "a",
    summary: "Fix the login",
    firstPrompt: "it fails",
    lastModified: NOW - HOUR,
    fileSize: 900,
    gitBranch: "login",
  },
  {
    sessionId: "c",
    summary: "Docs",
    firstPrompt: "write docs",
    lastModified: NOW - 400 * HOUR,
    fileSize: 5_000_000,
    worktree: "docs-tree",
  },
];
const ELSEWHERE: ListedSession = {
  sessionId: "z",
  summary: "Elsewhere",
  firstPrompt: "hi",
  lastModified: NOW - 10,
  fileSize: 1,
  cwd: "/other",
};

class Shelf implements SessionShelf {
  readonly renamed: [id: string, title: string][] = [];
  readonly searched: string[] = [];
  found: readonly string[] = [];

  async list({ allProjects }: { readonly allProjects: boolean }) {
    return allProjects ? [...SESSIONS, ELSEWHERE] : SESSIONS;
  }
  async search(words: string) {
    this.searched.push(words);
    return this.found;
  }
  async preview(id: string) {
    return `**preview** of ${id}`;
  }
  async rename(id: string, title: string) {
    this.renamed.push([id, title]);
  }
}

async function opened(more: Partial<SessionPickerOptions> = {}, shelf = new Shelf()) {
  const panel = sessionPicker(shelf, { keys, redraw: () => undefined, branch: "main", ...more });
  await settled();
  shown(panel);
  return { panel, shelf };
}

/** Presses keys one after another; what promises bring is there before the next. */
async function press(panel: Panel<PickedSession | null>, ...names: readonly string[]) {
  for (const name of names) {
    const end = panel.take(key(name), NOW);
    await settled();
    shown(panel);
    if (end) return end.value;
  }
  return undefined;
}

const listed = (panel: Panel<PickedSession | null>) =>
  shown(panel)
    .split("\n")
    .slice(2)
    .filter((row) => /^[ ❯]/.test(row));

test("sessions are listed newest first, with age, branch, worktree and size", async () => {
  const { panel } = await opened();
  expect(listed(panel)).toEqual([
    "❯ Fix the login",
    "  1 hour ago · login · 900 B",
    "  write a parser",
    "  1 day ago · main · 33 KB",
    "  Docs",
    "  2 weeks ago · worktree docs-tree · 4.8 MB",
  ]);
  for (const [columns, rows] of SIZES) expect(shown(panel, frame(columns, rows))).toMatchSnapshot();
});

test("Enter resumes the marked one, Esc none", async () => {
  expect(await press((await opened()).panel, "down", "enter")).toEqual({ id: "b" });
  expect(await press((await opened()).panel, "escape")).toBeNull();
  expect(await press((await opened()).panel, "down", "down", "down", "up", "enter")).toEqual({ id: "b" });
});

test("typing searches titles and first prompts; the first Enter leaves the field, the second resumes", async () => {
  const { panel } = await opened();
  for (const each of typing("write d")) panel.take(each, NOW);
  await settled();
  expect(listed(panel)).toEqual(["❯ Docs", "  2 weeks ago · worktree docs-tree · 4.8 MB"]);
  expect(shown(panel)).toContain("1 of 3 sessions · 2 filtered out");
  expect(await press(panel, "enter")).toBeUndefined();
  expect(await press(panel, "enter")).toEqual({ id: "c" });
});

test("whole conversations are searched meanwhile", async () => {
  const shelf = new Shelf();
  shelf.found = ["b"];
  const { panel } = await opened({}, shelf);
  for (const each of typing("zebra")) panel.take(each, NOW);
  expect(shown(panel)).toContain("Searching the conversations…");
  await settled();
  expect(shelf.searched.at(-1)).toBe("zebra");
  expect(listed(panel)).toEqual(["❯ write a parser", "  1 day ago · main · 33 KB · found in the conversation"]);
});

test("a search that was typed over does not disturb the one after it", async () => {
  const answers: (() => void)[] = [];
  const aborted: boolean[] = [];
  class Slow extends Shelf {
    override search(words: string, _among?: readonly string[], signal?: AbortSignal) {
      const index = aborted.push(false) - 1;
      signal?.addEventListener("abort", () => (aborted[index] = true));
      return new Promise<readonly string[]>((resolve) => answers.push(() => resolve(words === "qu" ? ["a"] : ["b"])));
    }
  }
  const { panel } = await opened({}, new Slow());
  for (const each of typing("qux")) panel.take(each, NOW);
  answers[1]!();
  await settled();
  answers[0]!();
  await settled();
  expect(aborted).toEqual([true, false]);
  expect(listed(panel)[0]).toBe("❯ write a parser");
});

test("it can open filtered, and then Enter resumes at once", async () => {
  const { panel } = await opened({ query: "login" });
  expect(listed(panel)[0]).toBe("❯ Fix the login");
  expect(await press(panel, "enter")).toEqual({ id: "a" });
});

test("Ctrl+A lists all projects and back, Ctrl+B this branch only", async () => {
  const { panel } = await opened();
  await press(panel, "ctrl+a");
  expect(listed(panel)[1]).toBe("  just now · 1 B · /other");
  expect(await press(panel, "enter")).toEqual({ id: "z", cwd: "/other" });
  await press(panel, "ctrl+a", "ctrl+b");
  expect(listed(panel)).toEqual(["❯ write a parser", "  1 day ago · main · 33 KB"]);
  expect(shown(panel)).toContain("1 of 3 sessions · 2 filtered out · branch main");
});

test("Space shows a preview, Esc goes back to the list", async () => {
  const { panel } = await opened({ markdown: (text) => [text.replaceAll("**", "")] });
  await press(panel, "space");
  expect(shown(panel)).toContain("preview of a");
  expect(await press(panel, "escape", "space", "space")).toBeUndefined();
  expect(await press(panel, "space", "enter")).toEqual({ id: "a" });
});

test("Ctrl+R renames: Enter saves the name, Esc keeps the old one", async () => {
  const { panel, shelf } = await opened();
  await press(panel, "down", "ctrl+r", "N", "e", "w", "enter");
  expect(shelf.renamed).toEqual([["b", "New"]]);
  expect(listed(panel)[2]).toBe("❯ New");
  await press(panel, "ctrl+r", "ctrl+u", "x", "escape");
  expect(shelf.renamed).toHaveLength(1);
  expect(listed(panel)[2]).toBe("❯ New");
});

test("a folder without sessions, and a list that cannot be read, are reported", async () => {
  class Empty extends Shelf {
    override async list() {
      return [];
    }
  }
  class Broken extends Shelf {
    override async list(): Promise<readonly ListedSession[]> {
      throw new Error("no permission");
    }
  }
  expect(shown((await opened({}, new Empty())).panel)).toContain("No sessions in this folder");
  expect(shown((await opened({}, new Broken())).panel)).toContain("Cannot list the sessions: no permission");
});

test("10,000 sessions are searched with every key without looking at more than their titles", async () => {
  const many = Array.from({ length: 10_000 }, (_each, index) => ({
    ...SESSIONS[1]!,
    sessionId: `${index}`,
    summary: `t${index}`,
  }));
  class Large extends Shelf {
    override async list() {
      return many;
    }
  }
  const { panel } = await opened({}, new Large());
  for (const each of typing("t9999")) panel.take(each, NOW);
  expect(shown(panel)).toContain("1 of 10000 sessions · 9999 filtered out");
});

test("no keys break it, and Esc always ends it", async () => {
  for (const [columns, rows] of [...SIZES, [12, 3] as const]) {
    const { panel } = await opened();
    for (const each of randomKeys(columns, 1_000)) {
      panel.take(each, NOW);
      await Promise.resolve();
      shown(panel, frame(columns, rows));
    }
    // The first may leave a field or the preview.
    const ends = [panel.take(key("escape"), NOW), panel.take(key("escape"), NOW)];
    expect(ends).toContainEqual({ value: null });
  }
});

test("a session is found by the beginning of its id, and not by letters in it", async () => {
  const shelf = new Shelf();
  const [first] = SESSIONS;
  shelf.list = async () => [{ ...first!, sessionId: "5f0badd0-add0" }];
  const { panel } = await opened({}, shelf);
  await press(panel, ..."add");
  expect(shown(panel)).toContain("0 of 1");
  await press(panel, "backspace", "backspace", "backspace", ..."5f0b");
  expect(shown(panel)).toContain("❯ write a parser");
});
