import { describe, expect, test } from "bun:test";
import type { Key } from "../input/event.ts";
import { Bindings } from "./bindings.ts";
import { firstBindings } from "./first-bindings.ts";
import { parseKeystroke } from "./keystroke.ts";

function key(name: string, held: Partial<Key> = {}): Key {
  return { kind: "key", name, ctrl: false, alt: false, shift: false, ...held };
}

const CHAT = ["Chat", "Global"];

function read(...blocks: unknown[]): ReturnType<typeof Bindings.read> {
  return Bindings.read(JSON.stringify({ bindings: blocks }));
}

test("what a new file starts with has no problem and changes no key", () => {
  const { bindings, problems } = Bindings.read(firstBindings());
  expect(problems).toEqual([]);
  expect(bindings).toEqual(Bindings.read(undefined).bindings);
  expect(bindings.keyFor("Chat", "chat:externalEditor")).toBe("Ctrl+G");
});

describe("keystrokes", () => {
  test.each([
    ["ctrl+k", "ctrl+k"],
    ["CTRL+K", "ctrl+k"],
    ["ctrl+K", "ctrl+k"],
    ["K", "shift+k"],
    ["meta+p", "alt+p"],
    ["option+p", "alt+p"],
    ["cmd+k", "super+k"],
    ["shift+ctrl+c", "ctrl+shift+c"],
    ["esc", "escape"],
    ["return", "enter"],
    ["ctrl+x  ctrl+e", "ctrl+x ctrl+e"],
    [" ", "space"],
    ["ctrl++", "ctrl++"],
    ["+", "+"],
    ["f12", "f12"],
  ])("%j is %j", (written, spelled) => {
    expect(parseKeystroke(written)).toBe(spelled);
  });

  test.each(["hyper+a", "ctrl+", "banana", "", "f13"])("%j is no key", (written) => {
    expect(parseKeystroke(written)).toBeUndefined();
  });
});

describe("without a file", () => {
  const { bindings, problems } = Bindings.read(undefined);

  test.each([
    [key("enter"), "chat:submit"],
    [key("enter", { shift: true }), "chat:newline"],
    [key("enter", { alt: true }), "chat:newline"],
    [key("j", { ctrl: true }), "chat:newline"],
    [key("c", { ctrl: true }), "app:interrupt"],
    [key("tab", { shift: true }), "chat:cycleMode"],
    [key("_", { ctrl: true }), "chat:undo"],
    [key("_", { ctrl: true, shift: true }), "chat:undo"],
    [key("-", { ctrl: true, shift: true }), "chat:undo"],
  ])("%j", (pressed, action) => {
    expect(bindings.action(CHAT, pressed)).toEqual({ kind: "action", action });
    expect(problems).toEqual([]);
  });

  test("plain characters have no action in the prompt", () => {
    expect(bindings.action(CHAT, key("k", { text: "K", shift: true }))).toBeUndefined();
  });

  test("the inner context wins", () => {
    expect(bindings.action(["Autocomplete", ...CHAT], key("escape"))).toEqual({
      kind: "action",
      action: "autocomplete:dismiss",
    });
  });

  test("a chord takes two keys", () => {
    expect(bindings.action(CHAT, key("x", { ctrl: true }))).toEqual({ kind: "pending", keys: "ctrl+x" });
    expect(bindings.action(CHAT, key("e", { ctrl: true }), "ctrl+x")).toEqual({
      kind: "action",
      action: "chat:externalEditor",
    });
    expect(bindings.action(CHAT, key("q"), "ctrl+x")).toBeUndefined();
  });

  test("hints name the first key", () => {
    expect(bindings.keyFor("Chat", "chat:cycleMode")).toBe("Shift+Tab");
    expect(bindings.keyFor("Chat", "chat:killAgents")).toBe("Ctrl+X Ctrl+K");
    expect(bindings.keyFor("Global", "app:redraw")).toBe("");
  });
});

describe("keybindings.json", () => {
  test("binds, rebinds and takes off", () => {
    const { bindings, problems } = read(
      { context: "Chat", bindings: { enter: "chat:newline", "ctrl+enter": "chat:submit", "ctrl+u": null } },
      { context: "Global", bindings: { "alt+v": "app:toggleTranscript" } },
    );
    expect(problems).toEqual([]);
    expect(bindings.action(CHAT, key("enter"))).toEqual({ kind: "action", action: "chat:newline" });
    expect(bindings.action(CHAT, key("enter", { ctrl: true }))).toEqual({ kind: "action", action: "chat:submit" });
    expect(bindings.action(CHAT, key("u", { ctrl: true }))).toEqual({ kind: "unbound" });
    expect(bindings.keyFor("Chat", "chat:submit")).toBe("Ctrl+Enter");
    expect(bindings.keyFor("Global", "app:toggleTranscript")).toBe("Alt+V");
  });

  test("a chord without actions frees its first key", () => {
    const { bindings } = read({
      context: "Chat",
      bindings: { "ctrl+x ctrl+k": null, "ctrl+x ctrl+e": null, "ctrl+x": "chat:newline" },
    });
    expect(bindings.action(CHAT, key("x", { ctrl: true }))).toEqual({ kind: "action", action: "chat:newline" });
  });

  test("names what is wrong and uses the rest", () => {
    const { bindings, problems } = read(
      { context: "Cellar", bindings: {} },
      {
        context: "Chat",
        bindings: { "ctrl+c": "chat:submit", "hyper+x": "chat:submit", f2: "chat:dance", f3: "chat:stash" },
      },
      { context: "Chat", bindings: [] },
      "text",
    );
    expect(problems).toEqual([
      expect.stringContaining('bindings[0]: unknown context "Cellar"'),
      'Chat: key "ctrl+c" cannot be bound: it always interrupts',
      'Chat: key "hyper+x" is not a key; write it like "ctrl+k" or "ctrl+x ctrl+e"',
      'Chat: key "f2": unknown action "chat:dance"',
      'bindings[2]: "bindings" must be an object of keys and actions',
      expect.stringContaining("bindings[3]: unknown context undefined"),
    ]);
    expect(bindings.action(CHAT, key("f3"))).toEqual({ kind: "action", action: "chat:stash" });
  });

  test.each(["{", "[]", '{"bindings": 1}'])("%s changes nothing and says so", (text) => {
    const { bindings, problems } = Bindings.read(text);
    expect(problems.length).toBe(1);
    expect(bindings.action(CHAT, key("enter"))).toEqual({ kind: "action", action: "chat:submit" });
  });
});

test.each([
  ["y", "Confirmation", "confirm:yes"],
  ["Y", "Confirmation", "confirm:yes"],
  ["1", "Confirmation", "confirm:yes"],
  ["space", "Confirmation", "confirm:yes"],
  [" ", "Select", "select:accept"],
  ["escape", "Confirmation", "confirm:yes"],
  ["up", "Confirmation", "confirm:yes"],
  ["tab", "Confirmation", "confirm:yes"],
  ["backspace", "Select", "select:accept"],
  ["ctrl+j", "Confirmation", "confirm:yes"],
  ["ctrl+h", "Confirmation", "confirm:yes"],
  ["y enter", "Confirmation", "confirm:yes"],
  ["g g", "Confirmation", "confirm:yes"],
  ["a", "Confirmation", "confirm:cycleMode"],
  ["x", "Confirmation", "confirm:toggle"],
  ["s", "MessageSelector", "messageSelector:select"],
  ["p", "Plugin", "plugin:toggle"],
  ["é", "Global", "confirm:yes"],
])("key %j in %s may not be bound to %s: whoever types would answer", (written, context, action) => {
  const file = { bindings: [{ context, bindings: { [written]: action, "ctrl+q": "confirm:no" } }] };
  const { bindings, problems } = Bindings.read(JSON.stringify(file));
  expect(problems).toEqual([expect.stringContaining(`${context}: key ${JSON.stringify(written)} cannot be bound to`)]);
  expect(bindings.keyFor(context, "confirm:no")).toBe("Ctrl+Q");
});

test.each([
  ["enter", "confirm:yes"],
  ["ctrl+enter", "confirm:yes"],
  ["ctrl+y", "confirm:yes"],
  ["alt+y", "confirm:yes"],
  ["f2", "confirm:yes"],
  ["ctrl+x y", "confirm:yes"],
  ["shift+tab", "confirm:cycleMode"],
  ["j", "confirm:next"],
  ["n", "confirm:no"],
])("key %j may be bound to %s", (written, action) => {
  const file = { bindings: [{ context: "Confirmation", bindings: { [written]: action } }] };
  expect(Bindings.read(JSON.stringify(file)).problems).toEqual([]);
});
