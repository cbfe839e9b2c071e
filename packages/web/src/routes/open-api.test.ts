// The OpenAPI file says what the server does: each route is asked, and what it answers is what the file says.

import { expect, test } from "bun:test";
import { fieldProblem } from "../door/check-body.ts";
import type { WebSession } from "../host.ts";
import { SESSION_ID, startWatchedServer, type WatchedServer } from "../watched-server.test-support.ts";

const SESSION: WebSession = {
  id: SESSION_ID,
  title: "A session",
  cwd: "/",
  branch: "main",
  worktree: "tree",
  modifiedMs: 1,
  bytes: 2,
  isOpen: true,
  isArchived: false,
  state: "running",
};

const start = () =>
  startWatchedServer({
    sessions: [SESSION],
    exported: "# A session",
    replies: {
      file_suggestions: { suggestions: [{ path: "a", displayText: "a", type: "file" }], cwd: "/" },
      get_working_diff: { diff: "", since: "start", commit: null, files: [], hidden: 0, incomplete: false },
      interrupt: { still_queued: [] },
      rewind_files: { canRewind: true },
    },
  });

/** What a route needs in its body. */
const BODIES: Readonly<Record<string, object>> = {
  "post /v1/auth/code": { code: "x" },
  "patch /v1/sessions/{id}": { title: "Another title" },
  "post /v1/sessions/{id}/rewind": { prompt: SESSION_ID, files: true },
};

async function ask({ server, request }: WatchedServer, method: string, path: string, token: string, body?: object) {
  const text = body === undefined ? "" : JSON.stringify(body);
  const head = [
    `${method.toUpperCase()} ${path.replace("{id}", SESSION_ID)} HTTP/1.1`,
    `Host: 127.0.0.1:${server.port}`,
    `Authorization: Bearer ${token}`,
    ...(body === undefined ? [] : ["Content-Type: application/json", `Content-Length: ${text.length}`]),
  ];
  return request(head.join("\r\n"), text);
}

async function documentOf(server: WatchedServer, token: string): Promise<any> {
  return JSON.parse((await ask(server, "get", "/v1/openapi.json", token)).body);
}

test("every route answers as the file says", async () => {
  await using server = start();
  let token = await server.signIn();
  const { paths } = await documentOf(server, token);
  const problems: string[] = [];
  for (const [path, methods] of Object.entries<Record<string, any>>(paths)) {
    for (const [method, { requestBody, responses }] of Object.entries(methods)) {
      if (path.endsWith("/stream")) continue;
      const name = `${method} ${path}`;
      const body = requestBody === undefined ? undefined : (BODIES[name] ?? {});
      const reply = await ask(server, method, path, token, body);
      if (path === "/v1/auth/logout") token = await server.signIn();
      const declared = responses[reply.status];
      if (declared === undefined) problems.push(`${name}: status ${reply.status} is not in the file`);
      const content = declared?.content?.["application/json"];
      const problem =
        reply.status < 400 && content ? fieldProblem(JSON.parse(reply.body), content.schema, name) : undefined;
      if (problem !== undefined) problems.push(problem);
      const isExpected = reply.status < 400 || name === "post /v1/auth/code" || name === "delete /v1/devices/{id}";
      if (!isExpected) problems.push(`${name}: ${reply.status} ${reply.body}`);
    }
  }
  expect(problems).toEqual([]);
  expect(Object.keys(paths).length).toBeGreaterThan(12);
});

test("a device that watches may read what the file says, and nothing else", async () => {
  await using server = start();
  const viewer = await server.signIn("viewer");
  const { paths } = await documentOf(server, viewer);
  const wrong: string[] = [];
  for (const [path, methods] of Object.entries<Record<string, any>>(paths))
    for (const [method, operation] of Object.entries(methods)) {
      if (path.endsWith("/stream") || path === "/v1/auth/logout") continue;
      server.work.length = 0;
      const body = operation.requestBody === undefined ? undefined : (BODIES[`${method} ${path}`] ?? {});
      const { status } = await ask(server, method, path, viewer, body);
      const isRefused = status === 403 && server.work.length === 0;
      if (isRefused !== (operation["x-role"] === "driver")) wrong.push(`${method} ${path}: ${status}`);
    }
  expect(wrong).toEqual([]);
});
