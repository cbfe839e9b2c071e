import { expect, test } from "bun:test";
import { PAYLOADS, REPOSITORY } from "./deliveries.test-support.ts";
import { eventName, GITHUB_EVENTS, readEvent, type GithubEvent } from "./event.ts";

const read = (name: keyof typeof PAYLOADS, payload: unknown = PAYLOADS[name]()) => readEvent(name, payload)!;

test("a pull request", () => {
  const payload = PAYLOADS.pull_request({ labels: ["bug"], draft: true, sender: "hubot" });
  expect(read("pull_request", payload)).toEqual({
    name: "pull_request",
    action: "opened",
    repository: REPOSITORY,
    sender: { login: "hubot", isBot: false },
    author: { login: "mona", association: "MEMBER" },
    fields: {
      author: "mona",
      title: "Fix the spoon",
      body: "It bends",
      labels: ["bug"],
      base: "main",
      head: "straight",
      is_draft: true,
      is_merged: false,
    },
    isFork: false,
    url: "https://github.test/octo/spoon/issues/7",
    number: 7,
    ref: "refs/pull/7/head",
    sha: "2".repeat(40),
  });
});

test("the fields of the others", () => {
  const fields = (name: keyof typeof PAYLOADS) => read(name).fields;
  expect(fields("issues")).toEqual({ author: "mona", title: "Fix the spoon", body: "It bends", labels: [] });
  expect(fields("issue_comment")).toEqual({ author: "mona", title: "Fix the spoon", body: "please look", labels: [] });
  expect(fields("release")).toEqual({
    author: "mona",
    title: "Spoon 1.2",
    body: "Less bent",
    base: "main",
    head: "v1.2.0",
  });
  expect(fields("push")).toEqual({
    author: "mona",
    title: "Straighten",
    body: "Straighten\n\nmore",
    base: "main",
    head: "main",
  });
  expect(fields("workflow_run")).toEqual({ author: "mona", title: "Straighten", head: "main", conclusion: "failure" });
  expect(fields("check_suite")).toEqual({
    author: "mona",
    title: "Straighten",
    head: "main",
    base: "main",
    conclusion: "failure",
  });
});

test("forks, as far as the event tells", () => {
  const headRepository = "mallory/spoon";
  const fork = (event: GithubEvent) => event.isFork;
  expect(fork(read("pull_request"))).toBe(false);
  expect(fork(read("pull_request", PAYLOADS.pull_request({ headRepository })))).toBe(true);
  expect(fork(read("workflow_run", PAYLOADS.workflow_run({ headRepository })))).toBe(true);
  expect(fork(read("check_suite", PAYLOADS.check_suite({ headRepository })))).toBe(true);
  expect(fork(read("issue_comment"))).toBe(false);
  expect(fork(read("issue_comment", PAYLOADS.issue_comment({ onPullRequest: true })))).toBe(true);
  // The fork was deleted.
  const gone = PAYLOADS.pull_request();
  expect(
    fork(read("pull_request", { ...gone, pull_request: { ...gone.pull_request, head: { ref: "x", repo: null } } })),
  ).toBe(true);
});

test("what is checked out is in the repository itself, also for forks", () => {
  const headRepository = "mallory/spoon";
  const ref = (name: keyof typeof PAYLOADS, payload?: unknown) => read(name, payload).ref;
  expect(ref("pull_request", PAYLOADS.pull_request({ headRepository, head: "main" }))).toBe("refs/pull/7/head");
  expect(ref("issue_comment", PAYLOADS.issue_comment({ onPullRequest: true }))).toBe("refs/pull/7/head");
  expect(ref("issue_comment")).toBeUndefined();
  expect(ref("workflow_run", PAYLOADS.workflow_run({ headRepository, head: "main" }))).toBeUndefined();
  expect([ref("workflow_run"), ref("push"), ref("release")]).toEqual(["main", "main", "v1.2.0"]);
});

test("the name of an event has its action", () => {
  expect([eventName(read("pull_request")), eventName(read("push"))]).toEqual(["pull_request.opened", "push"]);
});

test("apps are bots, by type or by name", () => {
  const payload = PAYLOADS.push({ author: "hubot" });
  expect(read("push", payload).sender.isBot).toBe(false);
  expect(read("push", { ...payload, sender: { login: "hubot", type: "Bot" } }).sender.isBot).toBe(true);
  expect(read("push", { ...payload, sender: { login: "hubot" } }).sender.isBot).toBe(true);
  expect(read("push", { ...payload, sender: { login: "hubot[bot]", type: "User" } }).sender.isBot).toBe(true);
});

test("what is not complete, or of another kind, is no event", () => {
  for (const name of GITHUB_EVENTS) {
    for (const payload of [
      null,
      [],
      "x",
      {},
      { action: "opened", sender: { login: "x" } },
      { repository: { full_name: "a/b" } },
    ])
      expect([name, readEvent(name, payload)]).toEqual([name, undefined]);
    if (name === "push") continue;
    const { repository, sender } = PAYLOADS.push();
    expect([name, readEvent(name, { repository, sender, action: "opened" })]).toEqual([name, undefined]);
  }
  for (const name of ["watch", "toString", "__proto__", ""]) expect(readEvent(name, PAYLOADS.push())).toBeUndefined();
});

test("no type of a field is trusted", () => {
  const odd = {
    ...PAYLOADS.pull_request(),
    pull_request: { user: 1, title: [], body: {}, labels: "bug", base: null, head: [] },
  };
  expect(read("pull_request", odd).fields).toEqual({
    author: undefined,
    title: "",
    body: "",
    labels: [],
    base: undefined,
    head: undefined,
    is_draft: false,
    is_merged: false,
  });
});
