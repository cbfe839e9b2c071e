// Opening the browser and catching the redirect at the end of a sign-in.

import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBrowser } from "./browser.ts";
import { listenForRedirect } from "./redirect-listener.ts";

test("catches the redirect with the right state, and nothing else", async () => {
  const listener = listenForRedirect({ state: "s1" });
  const { redirectUrl } = listener;
  expect(redirectUrl).toMatch(/^http:\/\/localhost:\d+\/callback$/);
  const get = async (query: string, init?: RequestInit) => (await fetch(`${redirectUrl}${query}`, init)).status;
  expect([
    await get("?code=1&state=other"),
    await get("?code=1"),
    await get("/more?code=1&state=s1"),
    await get("?code=1&state=s1", { method: "POST" }),
    await get("?code=1&state=s1", { headers: { host: "evil.example" } }),
  ]).toEqual([400, 400, 404, 404, 421]);
  const answer = await fetch(`${redirectUrl}?code=%3Cscript%3E&state=s1`);
  expect([answer.status, await answer.text()]).toEqual([200, expect.not.stringContaining("script")]);
  expect(Object.fromEntries(await listener.received)).toEqual({ code: "<script>", state: "s1" });
  await listener[Symbol.asyncDispose]();
  await expect(fetch(redirectUrl)).rejects.toThrow();
});

test("a port that is taken is an error", async () => {
  await using listener = listenForRedirect({ state: "s" });
  const port = Number(new URL(listener.redirectUrl).port);
  expect(() => listenForRedirect({ state: "s", port })).toThrow();
});

test("opens web pages only, with BROWSER or the program of the system, and without a shell", async () => {
  const root = mkdtempSync(join(tmpdir(), "keelson-browser-"));
  try {
    const done = join(root, "done");
    const script = `#!/bin/sh\nprintf '%s\\n' "$0 $*" | sed 's#${root}/##' >> "${done}.part"; mv "${done}.part" "${done}"\n`;
    for (const name of ["xdg-open", "open", "firefox"]) writeFileSync(join(root, name), script, { mode: 0o755 });
    const opened = async (url: string, platform: string, browser?: string) => {
      rmSync(done, { force: true });
      const env = { PATH: `${root}:/usr/bin:/bin`, ...(browser === undefined ? {} : { BROWSER: browser }) };
      if (!openBrowser(new URL(url), { platform, env, find: (name) => join(root, name) })) return "not opened";
      while (!(await Bun.file(done).exists())) await Bun.sleep(5);
      return (await Bun.file(done).text()).trim();
    };
    const url = "https://a.example/x?a=1&b=$(touch%20y)";
    expect([
      await opened(url, "linux"),
      await opened(url, "darwin"),
      await opened(url, "linux", "firefox"),
      await opened(url, "linux", `${root}/firefox --new %s:other`),
      await opened(url, "linux", "no-such-browser"),
      await opened("file:///etc/passwd", "linux"),
      await opened("javascript:alert(1)", "linux"),
    ]).toEqual([
      `xdg-open ${url}`,
      `open ${url}`,
      `firefox ${url}`,
      `firefox --new ${url}`,
      "not opened",
      "not opened",
      "not opened",
    ]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
