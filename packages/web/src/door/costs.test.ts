// What one device may cost the others, and ETags that a proxy has changed.

import { expect, test } from "bun:test";
import type { WebSession } from "../host.ts";
import { SESSION_ID, startWatchedServer, type WatchedServer } from "../watched-server.test-support.ts";

const SESSION: WebSession = {
  id: SESSION_ID,
  title: "A session",
  cwd: "/",
  branch: undefined,
  worktree: undefined,
  modifiedMs: 1,
  bytes: 2,
  isOpen: false,
  isArchived: false,
  state: "idle",
};

const get = ({ server, request }: WatchedServer, token: string, path: string, more: readonly string[] = []) =>
  request(
    [
      `GET ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${server.port}`,
      ...(token === "" ? [] : [`Authorization: Bearer ${token}`]),
      ...more,
    ].join("\r\n"),
  );

test("a device searches three times at once at most, and keeps no other from it", async () => {
  const searching = Promise.withResolvers<void>();
  await using server = startWatchedServer({ sessions: [SESSION], searching: searching.promise });
  const [viewer, driver] = [await server.signIn("viewer"), await server.signIn()];
  const three = Array.from({ length: 3 }, () => get(server, viewer, "/v1/sessions?q=x"));
  while (server.work.filter((each) => each === "search").length < 3) await new Promise(setImmediate);
  const fourth = await get(server, viewer, "/v1/sessions?q=x");
  expect([fourth.status, fourth.headers.get("retry-after")]).toEqual([429, "1"]);
  expect((await get(server, viewer, "/v1/sessions")).status).toBe(200);
  const other = get(server, driver, "/v1/sessions?q=x");
  searching.resolve();
  expect((await Promise.all([...three, other])).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await get(server, viewer, "/v1/sessions?q=x")).status).toBe(200);
});

test("an ETag that a proxy has marked as weak is still known", async () => {
  await using server = startWatchedServer({ sessions: [SESSION] });
  const token = await server.signIn();
  for (const [path, of] of [
    ["/v1/sessions", token],
    ["/page.js", ""],
  ] as const) {
    const tag = (await get(server, of, path)).headers.get("etag")!;
    for (const sent of [tag, `W/${tag}`, `"other", W/${tag}`])
      expect((await get(server, of, path, [`If-None-Match: ${sent}`])).status).toBe(304);
    expect((await get(server, of, path, [`If-None-Match: "other"`])).status).toBe(200);
  }
});
