import { afterAll, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { notifyByHttp, notifyByProgram, notifyDesktop, notifyTerminal } from "./notify.ts";
import { terminalSequence } from "./terminal.ts";

const place = mkdtempSync(join(tmpdir(), "keelson-notify-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));

const NOTICE = { title: "Keelson", message: 'Done; "all" $(green) <b>' };
const signal = new AbortController().signal;

function program(name: string, script: string): string {
  const path = join(place, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}
const said = (name: string) => readFileSync(join(place, name), "utf8");

const SEQUENCES: readonly (readonly [string | undefined, Record<string, string>, string])[] = [
  ["terminal_bell", {}, "\x07"],
  ["notifications_disabled", {}, ""],
  ["iterm2", {}, "\x1b]9;T: a b\x07"],
  ["iterm2_with_bell", {}, "\x1b]9;T: a b\x07\x07"],
  ["kitty", {}, "\x1b]99;i=1:d=0;T\x1b\\\x1b]99;i=1:p=body;a b\x1b\\"],
  ["ghostty", {}, "\x1b]777;notify;T;a b\x07"],
  ["ghostty", { TMUX: "/tmp/tmux" }, "\x1bPtmux;\x1b\x1b]777;notify;T;a b\x07\x1b\\"],
  ["auto", { TERM_PROGRAM: "iTerm.app" }, "\x1b]9;T: a b\x07"],
  [undefined, { TERM: "xterm-kitty" }, "\x1b]99;i=1:d=0;T\x1b\\\x1b]99;i=1:p=body;a b\x1b\\"],
  [undefined, { TERM_PROGRAM: "ghostty" }, "\x1b]777;notify;T;a b\x07"],
  ["something new", { TERM: "xterm" }, "\x07"],
];
for (const [channel, env, expected] of SEQUENCES) {
  test(`terminalSequence(${channel}) with ${JSON.stringify(env)} is ${JSON.stringify(expected)}`, () => {
    // Control characters would end the sequence and begin another.
    expect(terminalSequence(channel, "T", "a\x1b\x07\n\u009bb", env)).toBe(expected);
  });
}

test("notifyTerminal() writes only to a terminal", () => {
  const written: string[] = [];
  const terminal = (isTTY: boolean) => ({ isTTY, write: (text: string) => written.push(text) });
  expect(notifyTerminal(NOTICE, { env: {}, terminal: terminal(false) })).toBe(false);
  expect(notifyTerminal(NOTICE, { env: {}, terminal: terminal(true), channel: "notifications_disabled" })).toBe(false);
  expect(written).toEqual([]);
  expect(notifyTerminal(NOTICE, { env: {}, terminal: terminal(true), channel: "terminal_bell" })).toBe(true);
  expect(written).toEqual(["\x07"]);
});

test("notifyDesktop() passes the text as arguments", async () => {
  expect(await notifyDesktop(NOTICE, { env: {}, find: () => null, signal })).toBe(false);
  program("notify-send", `printf '%s\\n' "$@" >'${place}/desktop'`);
  const find = (name: string) => (name === "notify-send" ? join(place, name) : null);
  expect(await notifyDesktop(NOTICE, { env: { PATH: "/usr/bin:/bin" }, find, signal })).toBe(true);
  expect(said("desktop")).toBe('--app-name=Keelson\n--\nKeelson\nDone; "all" $(green) &lt;b&gt;\n');
});

test("notifyByProgram() passes the text on stdin and as variables, and reports failures", async () => {
  const path = program(
    "mine",
    `echo "$1" >'${place}/mine.out'; cat >>'${place}/mine.out'; echo "|$KEELSON_NOTIFICATION_TITLE" >>'${place}/mine.out'`,
  );
  const env = { PATH: "/usr/bin:/bin" };
  expect(await notifyByProgram(NOTICE, [path, "a b"], env, signal)).toBe(true);
  expect(said("mine.out")).toBe(`a b\n${NOTICE.message}|Keelson\n`);
  expect(await notifyByProgram(NOTICE, [program("bad", "exit 3")], env, signal)).toBe(false);
  expect(await notifyByProgram(NOTICE, [join(place, "missing")], env, signal)).toBe(false);
});

test("notifyByHttp() posts as ntfy expects, follows no redirect, and never shows the token", async () => {
  const requests: unknown[] = [];
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const { method, headers } = request;
      requests.push([method, pathname, headers.get("title"), headers.get("authorization"), await request.text()]);
      if (pathname === "/elsewhere") return Response.redirect("/topic", 307);
      return new Response("", { status: pathname === "/topic" ? 200 : 403 });
    },
  });
  const at = (path: string) => `http://127.0.0.1:${server.port}${path}`;
  expect(await notifyByHttp(NOTICE, { url: at("/topic"), token: "tk_1" }, signal)).toBe(true);
  expect(await notifyByHttp(NOTICE, { url: at("/elsewhere") }, signal)).toBe("the server answered with status 307");
  expect(await notifyByHttp(NOTICE, { url: at("/closed"), token: "tk_1" }, signal)).toBe(
    "the server answered with status 403",
  );
  expect(requests).toEqual([
    ["POST", "/topic", "Keelson", "Bearer tk_1", NOTICE.message],
    ["POST", "/elsewhere", "Keelson", null, NOTICE.message],
    ["POST", "/closed", "Keelson", "Bearer tk_1", NOTICE.message],
  ]);
  expect(await notifyByHttp(NOTICE, { url: "http://e.com/x", token: "tk_1" }, signal)).toBe(
    "The token would be sent unencrypted to 'e.com'; use https",
  );
  expect(await notifyByHttp(NOTICE, { url: "https://u:p@e.com/x" }, signal)).toBe(
    "The address contains a user name or password; use a token instead",
  );
  expect(await notifyByHttp(NOTICE, { url: "file:///etc/passwd" }, signal)).toBe(
    "The address is not an http or https URL",
  );
  await server.stop(true);
  expect(await notifyByHttp(NOTICE, { url: at("/topic?secret=1"), token: "tk_1" }, signal)).toMatch(
    /^'http:\/\/127\.0\.0\.1:\d+\/topic' could not be reached: /,
  );
});
