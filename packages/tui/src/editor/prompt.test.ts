import { describe, expect, test } from "bun:test";
import { frameOf, PromptDriver } from "./prompt.test-support.ts";

const LEFT = "\x1b[D";
const UP = "\x1b[A";
const DOWN = "\x1b[B";

function after(...sent: string[]): string {
  const driver = new PromptDriver();
  for (const bytes of sent) driver.send(bytes);
  return driver.draft();
}

describe("editing", () => {
  test.each([
    ["typing", ["hello"], "❯ hello|"],
    ["backspace over an emoji", ["a👨‍👩‍👧\x7f"], "❯ a|"],
    ["backspace over a combined character", ["ne\u0301\x7f"], "❯ n|"],
    ["left over a wide character", [`日本${LEFT}x`], "❯ 日x|本"],
    ["Ctrl+A and Ctrl+E", ["bc\x01a\x05d"], "❯ abcd|"],
    ["Home and End", ["bc\x1b[Ha\x1b[Fd"], "❯ abcd|"],
    ["Alt+B and Alt+D", ["one two\x1bb\x1bd"], "❯ one |"],
    ["Ctrl+Left", ["one two\x1b[1;5D"], "❯ one |two"],
    ["Alt+F", ["one two\x01\x1bf"], "❯ one| two"],
    ["Ctrl+W takes the argument", ["rm a/b-c\x17"], "❯ rm |"],
    ["Alt+Backspace takes the word", ["rm a/b-c\x1b\x7f"], "❯ rm a/b-|"],
    ["Ctrl+K and Ctrl+Y", [`one two${LEFT.repeat(3)}\x0b\x01\x19`], "❯ two|one "],
    ["Ctrl+U and Ctrl+Y twice", ["abc\x15\x19\x19"], "❯ abcabc|"],
    ["cuts in a row are one", ["one two\x17\x17\x19"], "❯ one two|"],
    ["Alt+Y takes the cut before", ["one\x15two\x15\x19\x1by"], "❯ one|"],
    ["Delete", ["abc\x01\x1b[3~"], "❯ |bc"],
    ["Ctrl+D deletes in a draft", ["abc\x01\x04"], "❯ |bc"],
    ["undo by words, redo", ["one two\x1f"], "❯ one |"],
    ["undo twice", ["one two\x1f\x1f"], "❯ |"],
    ["redo", ["one two\x1f\x1b_"], "❯ one two|"],
    ["Ctrl+J is a new line", ["a\nb"], "❯ a\n  b|"],
    ["Alt+Enter is a new line", ["a\x1b\rb"], "❯ a\n  b|"],
    ["Shift+Enter is a new line", ["a\x1b[13;2ub"], "❯ a\n  b|"],
    ["backslash and Enter is a new line", ["a\\\rb"], "❯ a\n  b|"],
    ["Backspace joins lines", [`a\nb${LEFT}\x7f`], "❯ a|b"],
    ["Up and Down move in the text", [`ab\ncd\nef${UP}${UP}x${DOWN}y`], "❯ abx\n  cdy|\n  ef"],
    ["tabs and control characters are shown, not obeyed", ["\x1b[200~a\tb\x07\x1b[201~"], "❯ a  b␇|"],
  ])("%s", (_name, sent, expected) => {
    expect(after(...sent)).toBe(expected);
  });

  test("Up and Down move through wrapped rows and keep the column", () => {
    const driver = new PromptDriver();
    driver.send("0123456789abcdef");
    expect(driver.draft(13)).toBe("❯ 0123456789\n  abcdef|");
    driver.send(UP);
    expect(driver.draft(13)).toBe("❯ 012345|6789\n  abcdef");
    driver.send(DOWN);
    expect(driver.draft(13)).toBe("❯ 0123456789\n  abcdef|");
  });

  test("a long draft scrolls and the cursor stays in sight", () => {
    const driver = new PromptDriver();
    driver.send(Array.from({ length: 40 }, (_, at) => `line ${at}`).join("\n"));
    const rows = driver.screen(40, 12);
    expect(rows.length).toBeLessThanOrEqual(12);
    expect(rows.at(-2)).toBe("  line 39|");
    driver.send("\x1b[1;5H");
    expect(driver.screen(40, 12)[1]).toBe("❯ |line 0");
  });
});

describe("sending", () => {
  test("Enter sends what was written and empties the prompt", () => {
    const driver = new PromptDriver();
    expect(driver.send("hello\r")).toEqual([
      { kind: "submit", mode: "prompt", text: "hello", line: { display: "hello", pastedContents: {} }, images: [] },
    ]);
    expect(driver.draft()).toBe("❯ |");
  });

  test.each(["\r", "  \r", "\n\n\r"])("%j sends nothing", (bytes) => {
    expect(new PromptDriver().send(bytes)).toEqual([]);
  });

  test("keybindings.json can exchange Enter", () => {
    const keybindings = '{"bindings":[{"context":"Chat","bindings":{"enter":"chat:newline","ctrl+e":"chat:submit"}}]}';
    const driver = new PromptDriver({ keybindings });
    expect(driver.send("a\rb\x05")).toMatchObject([{ kind: "submit", text: "a\nb" }]);
  });

  test("`!` as the first key is a shell command, however fast the rest comes", () => {
    const driver = new PromptDriver();
    driver.send("!l");
    expect(driver.draft()).toBe("! l|");
    expect(driver.send("s\r")).toMatchObject([{ kind: "submit", mode: "shell", text: "ls", line: { display: "!ls" } }]);
    expect(driver.prompt.mode).toBe("prompt");
  });

  test("Backspace and Esc leave the shell mode; in a text `!` is a character", () => {
    expect(after("!", "\x7f")).toBe("❯ |");
    expect(after("!", "\x1b")).toBe("❯ |");
    expect(after("!ls\x01\x7f")).toBe("❯ |ls");
    expect(after("a!")).toBe("❯ a!|");
  });

  test("`#` as the first key is a note", () => {
    expect(new PromptDriver().send("#use tabs\r")).toMatchObject([
      { kind: "submit", mode: "memory", text: "use tabs" },
    ]);
  });

  test("`?` on an empty prompt asks for the shortcuts, elsewhere it is a character", () => {
    const driver = new PromptDriver();
    expect(driver.send("?")).toEqual([{ kind: "shortcuts" }]);
    expect(driver.send("why?")).toEqual([]);
    expect(driver.draft()).toBe("❯ why?|");
  });
});

describe("Esc, Ctrl+C and Ctrl+D", () => {
  test("Esc on a draft asks, the second clears and keeps it in the history", async () => {
    const driver = new PromptDriver();
    driver.send("draft");
    expect(driver.send("\x1b")).toEqual([]);
    expect(driver.prompt.hint(driver.now)).toBe("Esc again to clear");
    expect(driver.prompt.nextChange(driver.now)).toBeGreaterThan(0);
    expect(driver.send("\x1b")).toEqual([{ kind: "discard", line: { display: "draft", pastedContents: {} } }]);
    expect(driver.draft()).toBe("❯ |");
    await driver.historyRead;
    driver.send(UP);
    expect(driver.draft()).toBe("❯ draft|");
  });

  test("a draft that waits while the history is looked through is kept, whatever is cleared", async () => {
    const driver = new PromptDriver();
    driver.send("sent before\r");
    driver.send("draft");
    await driver.historyRead;
    driver.send(UP);
    expect(driver.draft()).toBe("❯ sent before|");
    driver.send("\x03");
    expect(driver.draft()).toBe("❯ |");
    driver.send(UP);
    expect(driver.draft()).toBe("❯ draft|");
  });

  test("another key or time between them is no second Esc", () => {
    const driver = new PromptDriver();
    driver.send("draft");
    driver.send("\x1b");
    driver.now += 10_000;
    expect(driver.prompt.hint(driver.now)).toBeUndefined();
    expect(driver.send("\x1b")).toEqual([]);
    driver.send("s");
    expect(driver.send("\x1b")).toEqual([]);
    expect(driver.prompt.text).toBe("drafts");
  });

  test("Esc Esc on an empty prompt rewinds", () => {
    const driver = new PromptDriver();
    expect(driver.send("\x1b")).toEqual([]);
    expect(driver.send("\x1b")).toEqual([{ kind: "rewind" }]);
  });

  test("Esc and Ctrl+C stop what runs, and the draft stays", () => {
    const driver = new PromptDriver();
    driver.prompt.working = true;
    driver.send("next");
    expect(driver.send("\x1b\x03")).toEqual([{ kind: "interrupt" }, { kind: "interrupt" }]);
    expect(driver.prompt.text).toBe("next");
  });

  test("Ctrl+C clears, asks, and ends", () => {
    const driver = new PromptDriver();
    driver.send("draft");
    expect(driver.send("\x03")).toEqual([{ kind: "discard", line: { display: "draft", pastedContents: {} } }]);
    expect(driver.prompt.text).toBe("");
    expect(driver.send("\x03")).toEqual([]);
    expect(driver.prompt.hint(driver.now)).toBe("Ctrl+C again to exit");
    expect(driver.send("\x03")).toEqual([{ kind: "exit" }]);
  });

  test("Ctrl+D asks and ends on an empty prompt only", () => {
    const driver = new PromptDriver();
    driver.send("x");
    expect(driver.send("\x04\x04\x04")).toEqual([]);
    driver.send("\x7f");
    expect(driver.send("\x04")).toEqual([]);
    expect(driver.send("\x03")).toEqual([]);
    expect(driver.send("\x04")).toEqual([]);
    expect(driver.send("\x04")).toEqual([{ kind: "exit" }]);
  });
});

describe("keys that ask for something", () => {
  test.each([
    ["\x0c", "redraw"],
    ["\x1a", "suspend"],
    ["\x14", "toggle-tasks"],
    ["\x0f", "toggle-transcript"],
    ["\x1b[Z", "cycle-mode"],
    ["\x1bp", "model-picker"],
    ["\x1bt", "toggle-thinking"],
    ["\x1bo", "toggle-fast"],
    ["\x16", "paste-image"],
    ["\x12", "history-search"],
    ["\x07", "open-editor"],
    ["\x18\x05", "open-editor"],
    ["\x18\x0b", "stop-agents"],
  ] as const)("%j", (bytes, kind) => {
    const driver = new PromptDriver();
    driver.send("draft");
    expect(driver.send(bytes)).toMatchObject([{ kind }]);
    expect(driver.prompt.text).toBe("draft");
  });

  test("Ctrl+B moves left, and to the background while something runs", () => {
    const driver = new PromptDriver();
    driver.send("ab\x02");
    expect(driver.draft()).toBe("❯ a|b");
    driver.prompt.working = true;
    expect(driver.send("\x02")).toEqual([{ kind: "background" }]);
  });

  test("half a chord does nothing", () => {
    const driver = new PromptDriver();
    expect(driver.send("\x18q")).toEqual([]);
    expect(driver.prompt.text).toBe("");
  });

  test("Ctrl+S puts the draft aside until the next message was sent", () => {
    const driver = new PromptDriver();
    driver.send("later\x13");
    expect(driver.draft()).toBe("❯ |");
    driver.send("now\r");
    expect(driver.draft()).toBe("❯ later|");
    driver.send("\x13\x13");
    expect(driver.draft()).toBe("❯ later|");
  });
});

describe("history", () => {
  test("Up and Down walk, and the draft comes back", async () => {
    const driver = new PromptDriver({ history: ["newest", "!ls", "oldest"] });
    driver.send("draft");
    await driver.historyRead;
    driver.send(UP);
    expect(driver.draft()).toBe("❯ newest|");
    driver.send(UP);
    expect(driver.draft()).toBe("! ls|");
    driver.send(UP + UP);
    expect(driver.draft()).toBe("❯ oldest|");
    driver.send(DOWN + DOWN + DOWN + DOWN);
    expect(driver.draft()).toBe("❯ draft|");
  });

  test("every Up counts before the history was read", async () => {
    const driver = new PromptDriver({ history: ["newest", "oldest"] });
    const walked = driver.changed();
    driver.send(UP + UP);
    await walked;
    expect(driver.draft()).toBe("❯ oldest|");
  });

  test("what was sent is the newest line", async () => {
    const driver = new PromptDriver({ history: ["before"] });
    driver.send("one\rtwo\r");
    await driver.historyRead;
    driver.send(UP + UP + UP);
    expect(driver.draft()).toBe("❯ before|");
    driver.send(DOWN);
    expect(driver.draft()).toBe("❯ one|");
  });

  test("Up on an empty prompt takes back queued messages first", () => {
    const driver = new PromptDriver({ history: ["before"] });
    driver.prompt.queued = 1;
    expect(driver.send(UP)).toEqual([{ kind: "unqueue" }]);
    driver.prompt.prepend(["queued"]);
    expect(driver.draft()).toBe("❯ queued|");
    driver.send("\x15");
    driver.prompt.prepend(["!make"]);
    expect(driver.draft()).toBe("! make|");
  });
});

describe("pastes", () => {
  const long = Array.from({ length: 13 }, (_, at) => `row ${at}`).join("\n");

  test("never send, and short ones are shown", () => {
    const driver = new PromptDriver();
    expect(driver.paste("a\rb\r")).toEqual([]);
    expect(driver.draft()).toBe("❯ a\n  b\n  |");
  });

  test("long ones become a placeholder and are sent whole", () => {
    const driver = new PromptDriver();
    driver.send("see ");
    driver.paste(long);
    expect(driver.draft()).toBe("❯ see [Pasted text #1 +12 lines]|");
    expect(driver.send(" end\r")).toEqual([
      {
        kind: "submit",
        mode: "prompt",
        text: `see ${long} end`,
        line: {
          display: "see [Pasted text #1 +12 lines] end",
          pastedContents: { "1": { id: 1, type: "text", content: long } },
        },
        images: [],
      },
    ]);
  });

  test("pasting the same again shows it", () => {
    const driver = new PromptDriver();
    driver.paste(long);
    driver.paste(long);
    expect(driver.prompt.text).toBe(long);
  });

  test("Backspace removes a placeholder as a whole", () => {
    const driver = new PromptDriver();
    driver.send("a");
    driver.paste(long);
    driver.send("\x7f");
    expect(driver.draft()).toBe("❯ a|");
    driver.send("\x1f");
    expect(driver.draft()).toBe("❯ a[Pasted text #1 +12 lines]|");
  });

  test("a placeholder that was only typed stays text", () => {
    expect(new PromptDriver().send("[Pasted text #9 +2 lines]\r")).toMatchObject([
      { text: "[Pasted text #9 +2 lines]" },
    ]);
  });

  test.each(["/help", "!ls", "@file", "#note", "?"])("pasted %s is text", (text) => {
    const driver = new PromptDriver({ commands: [{ name: "help", description: "" }], files: async () => ["file"] });
    expect(driver.paste(text)).toEqual([]);
    expect(driver.prompt.mode).toBe("prompt");
    expect(driver.prompt.isCompleting).toBe(false);
    expect(driver.prompt.text).toBe(text);
  });

  test("arrive byte for byte, at any size", () => {
    const rows = [
      "",
      "\t",
      "\\",
      "$&",
      "[Image #1]",
      "\u0000\u0007\u001b[A",
      "日本👨‍👩‍👧",
      "x".repeat(5_000),
      "[Pasted text #1]",
    ];
    const text = Array.from({ length: 5_000 }, (_, at) => rows[at % rows.length]).join("\n");
    const driver = new PromptDriver();
    driver.paste(text);
    const [effect] = driver.send("\r");
    expect(effect?.kind === "submit" && effect.text === text).toBe(true);
  });
});

describe("images", () => {
  const image = { mediaType: "image/png", base64: "AA==" } as const;

  test("a pasted path is read, and sent as an image", () => {
    const driver = new PromptDriver();
    driver.send("see ");
    expect(driver.paste("/tmp/a\\ b.png ")).toEqual([
      { kind: "read-images", images: [{ id: 1, path: "/tmp/a b.png" }] },
    ]);
    expect(driver.draft()).toBe("❯ see [Image #1] |");
    driver.prompt.imageRead(1, image);
    expect(driver.send("\r")).toMatchObject([{ text: "see [Image #1] ", images: [{ id: 1, image }] }]);
  });

  test("Enter waits for an image that is being read", () => {
    const driver = new PromptDriver();
    driver.paste("/tmp/a.png");
    expect(driver.send("\r")).toEqual([]);
    driver.prompt.imageRead(1, image);
    expect(driver.effects.at(-1)).toMatchObject({ kind: "submit", images: [{ id: 1 }] });
  });

  test("a path without an image stays text", () => {
    const driver = new PromptDriver();
    driver.paste("/tmp/none.png");
    driver.prompt.imageRead(1, undefined);
    expect(driver.draft()).toBe("❯ /tmp/none.png|");
  });

  test("an image from the clipboard", () => {
    const driver = new PromptDriver();
    expect(driver.paste("")).toEqual([{ kind: "paste-image" }]);
    driver.prompt.insertImage(image);
    expect(driver.send("\r")).toMatchObject([{ text: "[Image #1] ", images: [{ id: 1, image }] }]);
  });
});

test("random input never throws, and rows and cursor stay inside the frame", () => {
  let seed = 11;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7f_ff_ff_ff;
    return (seed >> 8) % below;
  };
  const keys = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).concat(
    [
      "a",
      "word ",
      "日",
      "👨‍👩‍👧",
      "e\u0301",
      "\u0301",
      "/",
      "@",
      "!",
      "\\",
      "?",
      "\x7f",
      UP,
      DOWN,
      LEFT,
      "\x1b[C",
      "\x1b[3~",
    ],
    [
      "\x1bb",
      "\x1bf",
      "\x1bd",
      "\x1by",
      "\x1b\x7f",
      "\x1b[H",
      "\x1b[F",
      "\x1b[200~a\nb\nc\nd\ne\x1b[201~",
      "\x1b[200~👍\tx\x1b[201~",
    ],
  );
  const driver = new PromptDriver({ commands: [{ name: "help", description: "d" }], history: ["one", "two\nthree"] });
  for (let step = 0; step < 20_000; step += 1) {
    driver.send(keys[random(keys.length)]!);
    if (step % 7 !== 0) continue;
    const [columns, rows] = (
      [
        [40, 15],
        [80, 24],
        [7, 3],
        [2, 1],
      ] as const
    )[random(4)]!;
    const rendered = driver.prompt.render(frameOf(columns, rows));
    expect(rendered.rows.length).toBeLessThanOrEqual(Math.max(rows, 1));
    expect(rendered.cursor!.row).toBeLessThan(rendered.rows.length);
    expect(rendered.cursor!.column).toBeLessThan(columns);
    if (columns > 5) for (const row of rendered.rows) expect(Bun.stringWidth(row)).toBeLessThanOrEqual(columns);
  }
});
