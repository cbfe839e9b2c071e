import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkOut, GitAccessError } from "./checkout.ts";
import { credentialIn } from "./credentials.ts";
import { createGit } from "./git.ts";
import { testRepository } from "./repository.test-support.ts";
import { readSource } from "./source.ts";

function fileWith(root: string, ...lines: readonly string[]): string {
  const file = join(root, "credentials");
  writeFileSync(file, lines.join("\n"), { mode: 0o600 });
  chmodSync(file, 0o600);
  return file;
}

test("the most exact line for an address counts, and none for another host, port or beginning of a name", () => {
  using origin = testRepository();
  const file = fileWith(
    origin.root,
    "https://all:a@example.com",
    "https://team:t%40k@example.com/team",
    "https://port:p@example.com:8443/",
    "nonsense",
    "https://broken:a%0ab@broken.example",
  );
  const at = (url: string) => credentialIn(file, url)?.password;
  expect([
    at("https://example.com/other/app"),
    at("https://example.com/team/app"),
    at("https://example.com/teams/app"),
  ]).toEqual(["a", "t@k", "a"]);
  expect([
    at("https://example.com:8443/x"),
    at("https://example.org/x"),
    at("http://example.com/x"),
    at("ssh://git@example.com/x"),
  ]).toEqual(["p", undefined, undefined, undefined]);
  expect(at("https://broken.example/x")).toBeUndefined();
  chmodSync(file, 0o644);
  expect(() => at("https://example.com/x")).toThrow("can be read by others; run chmod 600 on it");
});

test("a repository behind a password is fetched with it, and the password is nowhere afterwards", async () => {
  using origin = testRepository();
  const commit = origin.commit({ "a.txt": "one" });
  origin.git(["update-server-info"], origin.bare);
  const password = "s3cret-of-git";
  const asked: (string | null)[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const header = request.headers.get("authorization");
      asked.push(header);
      if (header !== `Basic ${btoa(`me:${password}`)}`)
        return new Response("", { status: 401, headers: { "www-authenticate": "Basic" } });
      const file = Bun.file(join(origin.bare, new URL(request.url).pathname.replace("/app.git", "")));
      return (await file.exists()) ? new Response(file) : new Response("", { status: 404 });
    },
  });
  const url = new URL("/app.git", server.url).href;
  const scratch = join(origin.root, "scratch");
  mkdirSync(scratch);
  const tools = (file: string) => ({
    git: createGit({ git: Bun.which("git")!, bwrap: Bun.which("bwrap")! }),
    mirrors: join(origin.root, "mirrors"),
    scratch,
    signal: new AbortController().signal,
    credential: async () => credentialIn(file, url),
  });
  const wrong = await checkOut(
    readSource({ url }),
    join(origin.root, "no"),
    "claude/x",
    tools(fileWith(origin.root, `http://me:wrong@127.0.0.1:${server.port}`)),
  ).catch((error: unknown) => error);
  expect(wrong).toBeInstanceOf(GitAccessError);
  expect(String(wrong)).not.toContain("wrong@");
  const right = fileWith(origin.root, `http://me:${password}@127.0.0.1:${server.port}/app.git`);
  const made = await checkOut(readSource({ url }), join(origin.root, "out"), "claude/x", tools(right));
  await server.stop(true);
  expect([made.commit, asked.length > 0]).toEqual([commit, true]);
  const found = Bun.spawnSync(["grep", "-rl", password, made.folder, join(origin.root, "mirrors"), scratch]);
  expect(found.stdout.toString()).toBe("");
});

test("a server that sends git elsewhere does not send the password along", async () => {
  using origin = testRepository();
  const seen: (string | null)[] = [];
  await using second = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      seen.push(request.headers.get("authorization"));
      return new Response("", { status: 401, headers: { "www-authenticate": "Basic" } });
    },
  });
  await using first = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const { pathname, search } = new URL(request.url);
      return Response.redirect(new URL(pathname + search, second.url).href, 302);
    },
  });
  const scratch = join(origin.root, "scratch");
  mkdirSync(scratch);
  const failed = await checkOut(
    readSource({ url: `${first.url.href}app.git` }),
    join(origin.root, "out"),
    "claude/x-1",
    {
      git: createGit({ git: Bun.which("git")!, bwrap: Bun.which("bwrap")! }),
      mirrors: join(origin.root, "mirrors"),
      scratch,
      signal: new AbortController().signal,
      credential: async () => ({ username: "me", password: "s3cret-of-git" }),
    },
  ).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(Error);
  expect(new Set(seen)).toEqual(new Set([null]));
});
