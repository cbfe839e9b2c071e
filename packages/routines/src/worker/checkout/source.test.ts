import { expect, test } from "bun:test";
import { commentsUrl, isRef, readSource, SourceError } from "./source.ts";

test.each([
  ["https://example.com/team/app.git", "https://example.com/team/app.git", "app"],
  ["ssh://git@example.com/team/app", "ssh://git@example.com/team/app", "app"],
  ["git@example.com:team/app.git", "ssh://git@example.com/team/app.git", "app"],
  ["file:///srv/git/app.git", "file:///srv/git/app.git", "app"],
  ["http://127.0.0.1:8080/app", "http://127.0.0.1:8080/app", "app"],
  ["https://example.com/a/..%2f..", "https://example.com/a/..%2f..", "repository"],
])("readSource() accepts %s", (url, used, name) => {
  expect(readSource({ url })).toEqual({ url: used, ref: undefined, name });
});

test.each([
  "ext::sh -c whoami",
  "ext::sh%20-c%20whoami",
  "--upload-pack=/bin/sh",
  "-u/bin/sh",
  "fd::17",
  "/etc",
  "../other",
  "http://example.com/app",
  "git://example.com/app",
  "ftp://example.com/app",
  "https://user:secret@example.com/app",
  "https://token@example.com/app",
  "ssh://-oProxyCommand=sh/app",
  "ssh://-oProxyCommand=sh@example.com/app",
  "-oProxyCommand=sh:app",
  "git@-oProxyCommand=sh:app",
  "file://example.com/app",
  "https://example.com",
  "https://example.com/app?x=1",
  "https://example.com/a\nb",
  "https://example.com/a b",
  "https:\\\\example.com\\app",
  "",
])("readSource() refuses %j, without showing a password", (url) => {
  let error: unknown;
  try {
    readSource({ url });
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(SourceError);
  expect(String(error)).not.toContain("secret");
});

test("isRef() takes branches, tags and commits, nothing else", () => {
  for (const ref of ["main", "feature/x", "v1.2.3", "refs/pull/12/head", "a".repeat(40), "user@host"]) {
    expect([ref, isRef(ref)]).toEqual([ref, true]);
  }
  const refused = [
    "-x",
    "--upload-pack=sh",
    "",
    "a b",
    "a..b",
    "a@{1}",
    "@",
    "HEAD",
    "a.lock",
    "a/",
    "/a",
    "a//b",
    "a/.b",
    "a:b",
  ];
  for (const ref of [...refused, "a^", "a~1", "a?", "*", "a\nb", "+a", "a\\b", "refs/heads/*"]) {
    expect([ref, isRef(ref)]).toEqual([ref, false]);
  }
});

const COMMENTS = "repos/Team/app/issues/7/comments";

test.each([
  ["https://github.com/Team/app.git", `https://api.github.com/${COMMENTS}`],
  ["git@GitHub.com:Team/app.git", `https://api.github.com/${COMMENTS}`],
  ["ssh://git@ssh.github.com:443/Team/app", `https://api.github.com/${COMMENTS}`],
  ["https://octo.ghe.com/Team/app/", `https://api.octo.ghe.com/${COMMENTS}`],
  ["https://git.example.com:8443/Team/app", `https://git.example.com:8443/api/v3/${COMMENTS}`],
  ["ssh://git@git.example.com:2222/Team/app", `https://git.example.com/api/v3/${COMMENTS}`],
  ["https://github.com/team/other", undefined],
  ["https://github.com/team/app/more", undefined],
  ["file:///team/app", undefined],
  ["ext::no", undefined],
])("comments on an event of team/app go with %s to %s", (url, wanted) => {
  expect(commentsUrl([{ url }], { repository: "team/app", number: 7 })).toBe(wanted);
});

test("an event chooses neither a path nor a host for its comments", () => {
  const sources = [{ url: "https://github.com/team/app" }, { url: "https://github.com/team/.." }];
  const numbers = ["7", 0, -1, 1.5, "../../x", undefined] as readonly number[];
  const origins = [
    ...numbers.map((number) => ({ repository: "team/app", number })),
    ...["team/..", "team/app/../other", "", "evil.example/x"].map((repository) => ({ repository, number: 7 })),
    { comments_url: "https://api.github.com/user/repos", number: 7 },
  ];
  expect(origins.map((origin) => commentsUrl(sources, origin))).toEqual(origins.map(() => undefined));
});
