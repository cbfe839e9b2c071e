import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load } from "@keelson/config";
import { createLogins } from "./logins.ts";
import { editFile, editorCommand, editText } from "./editor.ts";
import { readThemeFiles } from "./theme-files.ts";

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "keelson-ports-"));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

const EDITORS: readonly (readonly [Record<string, string>, readonly string[] | undefined])[] = [
  [{ VISUAL: "vim -p", EDITOR: "nano" }, ["/on-path/vim", "-p"]],
  [{ VISUAL: "  ", EDITOR: "emacsclient -t -a ''" }, ["/on-path/emacsclient", "-t", "-a", ""]],
  [{ EDITOR: '"/Applications/My Editor/edit" --fast' }, ["/Applications/My Editor/edit", "--fast"]],
  [{ EDITOR: "my\\ editor" }, ["/on-path/my editor"]],
  [{ EDITOR: "code" }, ["/on-path/code", "--wait"]],
  [{ EDITOR: "/usr/bin/code -w" }, ["/usr/bin/code", "-w"]],
  [{ EDITOR: "missing" }, undefined],
  [{}, ["/bin/nano"]],
];
test.each(EDITORS)("with %p the editor is %p", (env, expected) => {
  const find = {
    chosen: (name: string) => (name === "missing" ? null : `/on-path/${name}`),
    system: (name: string) => (name === "nano" ? "/bin/nano" : null),
  };
  expect(editorCommand(env, "/p", find)).toEqual(expected);
});

test("a machine may have no editor", () => {
  expect(editorCommand({}, "/p", { chosen: () => null, system: () => null })).toBeUndefined();
});

const editing = (script: string) => {
  const path = join(place, "editor.sh");
  writeFileSync(path, script);
  return {
    cwd: place,
    env: { EDITOR: `sh ${path}`, PATH: process.env["PATH"], CLAUDE_CODE_TMPDIR: place },
    port: { lend: <T>(use: (stdin: "inherit") => Promise<T>) => use("inherit") },
  };
};
const leftOver = () => readdirSync(place).filter((name) => name.startsWith("keelson-edit"));

test("what the editor leaves is the text, from a file that only its owner could read and that is gone", async () => {
  const place1 = editing(
    'stat -c %a "$1" > mode 2>/dev/null || stat -f %Lp "$1" > mode; printf "%s, two\\n" "$(cat "$1")" > "$1"',
  );
  expect(await editText("one", ".md", place1)).toBe("one, two");
  expect((await Bun.file(join(place, "mode")).text()).trim()).toBe("600");
  expect(leftOver()).toEqual([]);
});

test("a file that is not there starts with the text given for it; one that is there is left alone", async () => {
  const path = join(place, "below", "keys.json");
  expect(await editFile(path, editing(""), "first")).toBe(true);
  expect(await editFile(path, editing(""), "second")).toBe(true);
  expect(await Bun.file(path).text()).toBe("first");
});

test("an editor that fails changes nothing", async () => {
  expect(await editText("one", ".md", editing("exit 3"))).toBeUndefined();
  expect(leftOver()).toEqual([]);
  const missing = { ...editing(""), env: { EDITOR: "/nowhere/editor" } };
  expect([await editText("one", ".md", missing), await editFile(join(place, "x"), missing)]).toEqual([
    undefined,
    false,
  ]);
  expect(existsSync(join(place, "x"))).toBe(false);
});

test("themes are the JSON files in their folder, by name", () => {
  const none = { active: [] };
  expect(readThemeFiles({ configDir: place, plugins: none })).toEqual({});
  // A folder of that name cannot be read, and does not hide the others.
  mkdirSync(join(place, "themes", "a.json"), { recursive: true });
  for (const file of ["sea.json", "notes.txt"]) writeFileSync(join(place, "themes", file), `text of ${file}`);
  expect(readThemeFiles({ configDir: place, plugins: none })).toEqual({ sea: "text of sea.json" });
});

test("themes of plugins have the plugin's name in front; links in plugins are left out", () => {
  const root = join(place, "plugin");
  mkdirSync(join(root, "themes"), { recursive: true });
  writeFileSync(join(root, "themes", "sea.json"), "text of a plugin");
  writeFileSync(join(root, "night.json"), "text at night");
  writeFileSync(join(place, "secret.json"), "secret");
  symlinkSync(join(place, "secret.json"), join(root, "themes", "link.json"));
  const active = [{ name: "kit", themes: [join(root, "themes"), join(root, "night.json")] }];
  expect(readThemeFiles({ configDir: join(place, "none"), plugins: { active } })).toEqual({
    "kit:sea": "text of a plugin",
    "kit:night": "text at night",
  });
});

test("a check of a key that is stopped ends its request", async () => {
  for (const [provider, path] of [
    ["openai", "/v1/models"],
    ["openrouter", "/v1/key"],
  ] as const) {
    const arrived = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<string>();
    using server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch({ url, signal }) {
        signal.addEventListener("abort", () => ended.resolve(new URL(url).pathname));
        arrived.resolve();
        return new Promise<Response>(() => undefined);
      },
    });
    const providers = { [provider]: { baseUrl: `http://127.0.0.1:${server.port}/v1` } };
    mkdirSync(join(place, ".claude"), { recursive: true });
    writeFileSync(join(place, ".claude", "settings.json"), JSON.stringify({ providers }));
    const snapshot = load({
      cwd: place,
      home: place,
      env: {},
      flags: {},
      platform: "linux",
      uid: 1000,
      trustFromAbove: true,
    });
    const stop = new AbortController();
    const checked = createLogins(() => snapshot).check(provider, "sk-any", stop.signal);
    await arrived.promise;
    stop.abort();
    // What the request says about its end, not what the time limit does.
    expect(await checked).toMatchObject({ problem: expect.stringContaining("Request was aborted"), refused: false });
    expect(await ended.promise).toBe(path);
    server.stop(true);
  }
});
