import { describe, expect, test } from "bun:test";
import type { InputEvent } from "./event.ts";
import { InputReader } from "./reader.ts";

const encoder = new TextEncoder();

function read(...chunks: string[]): InputEvent[] {
  const reader = new InputReader();
  const events = chunks.flatMap((chunk, at) => reader.push(encoder.encode(chunk), at));
  return [...events, ...reader.flush(1e9)];
}

/** Keys as people write them, text in quotes. */
function spell(events: readonly InputEvent[]): string {
  return events
    .map((event) => {
      if (event.kind !== "key") return event.kind === "reply" ? `${event.of}=${event.text}` : JSON.stringify(event);
      if (event.text !== undefined) return `'${event.text}'`;
      const { ctrl, alt, shift } = event;
      const parts = [ctrl && "ctrl", alt && "alt", shift && "shift", event.super && "super", event.name];
      return parts.filter((part) => part).join("+");
    })
    .join(" ");
}

describe("a key by itself", () => {
  test.each([
    ["a", "'a'"],
    ["aB", "'a' 'B'"],
    ["\r", "enter"],
    ["\n", "ctrl+j"],
    ["\t", "tab"],
    ["\x7f", "backspace"],
    ["\x03", "ctrl+c"],
    ["\x1f", "ctrl+_"],
    ["\x00", "ctrl+space"],
    ["\x1b\r", "alt+enter"],
    ["\x1bb", "alt+b"],
    ["\x1b\x7f", "alt+backspace"],
    ["\x1bP", "alt+shift+p"],
    ["\x1b[", "alt+["],
    ["\x1bé", "alt+é"],
    ["\x1b", "escape"],
    ["\x1b\x1b", "escape escape"],
    ["\x1b\x1b[A", "alt+up"],
    ["\x1b[A", "up"],
    ["\x1bOA", "up"],
    ["\x1bOM", "enter"],
    ["\x1bOp", "'0'"],
    ["\x1b[1;5C", "ctrl+right"],
    ["\x1b[1;3D", "alt+left"],
    ["\x1b[1;2R", "shift+f3"],
    ["\x1b[3~", "delete"],
    ["\x1b[3;5~", "ctrl+delete"],
    ["\x1b[3^", "ctrl+delete"],
    ["\x1b[a", "shift+up"],
    ["\x1bOa", "ctrl+up"],
    ["\x1b[[A", "f1"],
    ["\x1b[24~", "f12"],
    ["\x1b[Z", "shift+tab"],
    ["\x1b[13;2u", "shift+enter"],
    ["\x1b[27;2;13~", "shift+enter"],
    ["\x1b[27u", "escape"],
    ["\x1b[97;5u", "ctrl+a"],
    ["\x1b[27;5;97~", "ctrl+a"],
    ["\x1b[97:65;2u", "'A'"],
    ["\x1b[47:63;2u", "'?'"],
    ["\x1b[45:95;6u", "ctrl+shift+-"],
    ["\x1b[1092::97;5u", "ctrl+a"],
    ["\x1b[97;9u", "super+a"],
    ["\x1b[97;1:3u", ""],
    ["\x1b[1;1:3A", ""],
    ["\x1b[97;;229u", "'å'"],
    ["\x1b[0;;128077u", "'👍'"],
    ["\x1b[57399u", "'0'"],
    ["\x1b[57414u", "enter"],
    ["\x1b[57441;2u", ""],
    ["\x1b[32u", "' '"],
    ["\x1b[32;5u", "ctrl+space"],
  ])("%j is %s", (bytes, keys) => {
    expect(spell(read(bytes))).toBe(keys);
  });
});

test("reads each of many keys in one chunk", () => {
  expect(spell(read("!ls\r\x1b[Ax\x03"))).toBe("'!' 'l' 's' enter up 'x' ctrl+c");
});

test("a grapheme is one key, wherever its bytes are cut", () => {
  const family = "👨‍👩‍👧";
  expect(spell(read(`${family}e\u0301日`))).toBe(`'${family}' 'e\u0301' '日'`);
  const reader = new InputReader();
  const bytes = encoder.encode("日本");
  const events = [...bytes].flatMap((byte, at) => reader.push(new Uint8Array([byte]), at));
  expect(spell(events)).toBe("'日' '本'");
});

test("an ESC that came alone is a key of its own when another key follows", () => {
  expect(spell(read("\x1b", "d", "d"))).toBe("escape 'd' 'd'");
  expect(spell(read("\x1b", "[A"))).toBe("up");
  expect(spell(read("\x1b", "O"))).toBe("escape 'O'");
  expect(spell(read("\x1b", "\x1b"))).toBe("escape escape");
});

test("says when a lone ESC becomes a key", () => {
  const reader = new InputReader();
  expect(reader.dueAt()).toBeUndefined();
  expect(reader.push(encoder.encode("\x1b"), 100)).toEqual([]);
  const due = reader.dueAt()!;
  expect(due).toBeGreaterThan(100);
  expect(reader.flush(due - 1)).toEqual([]);
  expect(spell(reader.flush(due))).toBe("escape");
  expect(reader.dueAt()).toBeUndefined();
});

describe("answers of the terminal", () => {
  test.each([
    ["\x1b[12;40R", "cursor=12;40"],
    ["\x1b[1;1R", "cursor=1;1"],
    ["\x1b[1;9R", "cursor=1;9"],
    ["\x1b[2;5R", "cursor=2;5"],
    ["\x1b[12;40R\x1b[13;1R", "cursor=12;40 cursor=13;1"],
    ["\x1b[?5u", "kitty=5"],
    ["\x1b[?62;22c", "attributes=62;22"],
    ["\x1b[>0;276;0c", "attributes=0;276;0"],
    ["\x1bP>|ghostty 1.2\x1b\\", "version=ghostty 1.2"],
    ["\x1b]11;rgb:0000/0000/0000\x07", "background=rgb:0000/0000/0000"],
    ["\x1b]11;rgb:ff/ff/ff\x1b\\", "background=rgb:ff/ff/ff"],
    ["\x1b[?997;2n", "color-scheme=2"],
    ["\x1b[I", '{"kind":"focus","focused":true}'],
    ["\x1b[O", '{"kind":"focus","focused":false}'],
  ])("%j", (bytes, expected) => {
    expect(spell(read(bytes))).toBe(expected);
    expect(spell(read(...bytes))).toBe(expected);
  });
});

test.each([
  "\x1b[99;99;99X",
  "\x1b]8;;http://x\x07",
  "\x1b_Gi=31;OK\x1b\\",
  "\x1b[?2026;2$y",
  "\x1b[<0;10;10M",
  "\x1b[M !!",
  "\x1bP1$r0m\x1b\\",
  "\x1b]10;rgb:0/0/0\x1b\\",
  "\x1b[200",
])("swallows %j whole", (bytes) => {
  expect(spell(read(bytes))).toBe("");
  expect(spell(read(`${bytes}\x1b[Ax`)).endsWith("up 'x'")).toBe(true);
});

test("a sequence of any length without an end is swallowed", () => {
  const reader = new InputReader();
  expect(reader.push(encoder.encode(`\x1b]52;c;${"A".repeat(200_000)}`), 0)).toEqual([]);
  expect(reader.push(encoder.encode("A".repeat(200_000)), 1)).toEqual([]);
  expect(spell(reader.push(encoder.encode("A\x07x"), 2))).toBe("'x'");
});

describe("a paste", () => {
  test("an answer of the terminal in the middle of it is no part of it", () => {
    expect(read("\x1b[200~half", "\x1b[12;40R", " and half\x1b[201~")).toEqual([
      { kind: "reply", of: "cursor", text: "12;40" },
      { kind: "paste", text: "half and half" },
    ]);
  });

  test("is one event and new lines are new lines", () => {
    expect(read("\x1b[200~a\r\nb\rc\nd\x1b[201~\r")).toEqual([
      { kind: "paste", text: "a\nb\nc\nd" },
      { kind: "key", name: "enter", ctrl: false, alt: false, shift: false },
    ]);
  });

  test("arrives byte for byte, wherever it is cut", () => {
    const text = "tab\t esc \x1b[A \x1b[201 \x03\x04 日本 👨‍👩‍👧 \u202e end";
    const bytes = encoder.encode(`\x1b[200~${text}\x1b[201~x`);
    for (let cut = 1; cut < bytes.length; cut += 1) {
      const reader = new InputReader();
      const events = [...reader.push(bytes.slice(0, cut), 0), ...reader.push(bytes.slice(cut), 1)];
      expect(events[0]).toEqual({ kind: "paste", text });
      expect(spell(events.slice(1))).toBe("'x'");
    }
  });

  test("of eight megabytes in small chunks comes whole", () => {
    const text = "0123456789abcdef日本\n".repeat(350_000);
    const bytes = encoder.encode(`\x1b[200~${text}\x1b[201~`);
    const reader = new InputReader();
    const events: InputEvent[] = [];
    for (let at = 0; at < bytes.length; at += 4_096) events.push(...reader.push(bytes.slice(at, at + 4_096), at));
    expect(events.length).toBe(1);
    const [event] = events;
    expect(event?.kind === "paste" && event.text === text).toBe(true);
  });

  test("without an end is given out after a long silence", () => {
    const reader = new InputReader();
    expect(reader.push(encoder.encode("\x1b[200~half"), 0)).toEqual([]);
    expect(reader.flush(1_000)).toEqual([]);
    expect(reader.flush(reader.dueAt()!)).toEqual([{ kind: "paste", text: "half" }]);
    expect(spell(reader.push(encoder.encode("x"), 9_000))).toBe("'x'");
  });
});

test("random bytes never throw and never leave the reader deaf", () => {
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7f_ff_ff_ff;
    return seed % below;
  };
  const parts = [
    "\x1b",
    "[",
    "O",
    "P",
    "]",
    "200~",
    "201~",
    ";",
    "u",
    "1",
    "~",
    "é",
    "👍",
    "\x07",
    "\x1b\\",
    "a",
    "\r",
  ];
  for (let round = 0; round < 2_000; round += 1) {
    const reader = new InputReader();
    for (let step = 0; step < 12; step += 1) {
      const raw = random(4) === 0 ? new Uint8Array([random(256), random(256)]) : undefined;
      reader.push(raw ?? encoder.encode(parts[random(parts.length)]), step);
    }
    reader.flush(1e9);
    expect(reader.dueAt()).toBeUndefined();
    expect(spell(reader.push(encoder.encode("x"), 2e9))).toBe("'x'");
  }
});

test("Esc is a key of its own when an answer of the terminal follows it", () => {
  const names = (...chunks: string[]) => {
    const reader = new InputReader();
    return chunks
      .flatMap((chunk) => reader.push(new TextEncoder().encode(chunk), 0))
      .map((event) => (event.kind === "key" ? event.name : event.kind));
  };
  expect(names("\x1b\x1b[12;1R")).toEqual(["escape", "reply"]);
  expect(names("\x1b", "\x1b[12;1R")).toEqual(["escape", "reply"]);
  expect(names("\x1b", "\x1b[I")).toEqual(["escape", "focus"]);
  expect(names("\x1b\x1b[A")).toEqual(["up"]);
});
