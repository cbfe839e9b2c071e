import { describe, expect, test } from "bun:test";
import { Bindings } from "../keys/bindings.ts";
import type { Done } from "../screen/view.ts";
import type { TypedPrompt } from "@keelson/protocol";
import { InputReader } from "../input/reader.ts";
import { frameOf } from "./prompt.test-support.ts";
import { historySearch } from "./history-search.ts";
import { shortcutRows, shortcuts } from "./shortcuts.ts";

function line(display: string, project = "/p/here"): TypedPrompt {
  return { display, pastedContents: {}, timestamp: 0, project };
}

const HERE = [line("fix the parser"), line("add tests"), line("add tests"), line("first line\nsecond line")];
const ALL = [...HERE, line("deploy it", "/p/there")];

async function open(): Promise<{
  send(bytes: string): Done<TypedPrompt | null> | undefined;
  rows(columns?: number, rows?: number): readonly string[];
  /** Resolves when more of the history has been read. */
  changed(): Promise<void>;
}> {
  const { bindings } = Bindings.read(undefined);
  let changed = Promise.withResolvers<void>();
  const panel = historySearch({
    bindings,
    recent: async () => HERE,
    all: async () => ALL,
    changed: () => changed.resolve(),
  });
  await changed.promise;
  const reader = new InputReader();
  return {
    send(bytes) {
      const events = [...reader.push(new TextEncoder().encode(bytes), 0), ...reader.flush(1e9)];
      return events.map((event) => panel.take(event, 0)).find((done) => done);
    },
    changed() {
      changed = Promise.withResolvers<void>();
      return changed.promise;
    },
    rows: (columns = 60, rows = 14) => panel.render(frameOf(columns, rows)).rows,
  };
}

describe("history search", () => {
  test("lists each prompt once, newest first, and Enter gives the marked one", async () => {
    const panel = await open();
    expect(panel.rows().slice(2, 5)).toEqual([
      "❯ fix the parser  here",
      "  add tests  here",
      "  first line⏎second line  here",
    ]);
    expect(panel.send("\x1b[B\r")).toEqual({ value: line("add tests") });
  });

  test("narrows by words, and by letters if no words match", async () => {
    const panel = await open();
    panel.send("PARSER fix");
    expect(panel.rows()[2]).toBe("❯ fix the parser  here");
    panel.send("\x15adtst");
    expect(panel.rows()[2]).toBe("❯ add tests  here");
    panel.send("zzz");
    expect(panel.rows()[2]).toBe("  No earlier prompt matches");
    expect(panel.send("\r")).toBeUndefined();
  });

  test("Ctrl+R moves on to older prompts, and a long one is shown below", async () => {
    const panel = await open();
    panel.send("\x12\x12");
    expect(panel.rows().slice(4, 8)).toEqual([
      "❯ first line⏎second line  here",
      "  deploy it  there",
      "│ first line",
      "│ second line",
    ]);
  });

  test("Ctrl+S narrows to this folder and back", async () => {
    const panel = await open();
    panel.send("deploy");
    expect(panel.rows()[0]).toMatch(/^── Prompt history ─+ all folders ──$/);
    expect(panel.rows().slice(1, 3)).toEqual(["Search: deploy", "❯ deploy it  there"]);
    const changed = panel.changed();
    panel.send("\x13");
    await changed;
    expect(panel.rows()[2]).toBe("  No earlier prompt matches");
    panel.send("\x13");
    expect(panel.rows()[2]).toBe("❯ deploy it  there");
  });

  test.each(["\x1b", "\x03", "\x7f"])("%j cancels", async (bytes) => {
    expect((await open()).send(bytes)).toEqual({ value: null });
  });

  test.each([
    [120, 40],
    [80, 24],
    [40, 15],
    [20, 5],
  ])("fits in %d×%d", async (columns, rows) => {
    const shown = (await open()).rows(columns, rows);
    expect(shown.length).toBeLessThanOrEqual(rows);
    expect(shown.filter((row) => Bun.stringWidth(row) > columns)).toEqual([]);
  });
});

describe("shortcuts", () => {
  test("name the keys they have", () => {
    const file =
      '{"bindings":[{"context":"Global","bindings":{"ctrl+o":null,"f9":"app:toggleTranscript","ctrl+t":null}}]}';
    const entries = shortcuts(Bindings.read(file).bindings);
    expect(entries.find(({ text }) => text === "transcript")).toEqual({ key: "F9", text: "transcript" });
    expect(entries.find(({ text }) => text === "task list")).toBeUndefined();
  });

  test.each([
    [120, 40, 8],
    [80, 24, 11],
    [40, 15, 15],
  ])("fit in %d×%d", (columns, rows, most) => {
    const shown = shortcutRows(Bindings.read(undefined).bindings, frameOf(columns, rows));
    expect(shown.length).toBeLessThanOrEqual(most);
    expect(shown.filter((row) => Bun.stringWidth(row) > columns)).toEqual([]);
    expect(shown.join("\n")).toContain("Shift+Tab");
  });
});
