// What a session has changed, as its page shows it: by tools and by commands, committed or not, in a repository or not.

import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { startMockModel, temporaryHome, type ScriptedReply, type TemporaryHome } from "@keelson/testkit";
import { startWeb, type WebDevice } from "../web-page/web-client.ts";

const isResult = (message: any) => message.type === "result";
const bash = (command: string): ScriptedReply => ({ calls: [{ name: "Bash", input: { command } }] });
const call = (name: string, input: object): ScriptedReply => ({ calls: [{ name, input }] }) as ScriptedReply;

function git(folder: string, ...words: string[]): string {
  const { stdout, stderr, status } = spawnSync(
    "git",
    ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main", ...words],
    { cwd: folder, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}

const ALLOWED = { permissions: { allow: ["Bash", "Edit", "Write"], deny: ["Read(secret.txt)", "Read(kept.txt)"] } };

async function work(device: WebDevice): Promise<string> {
  const id = await device.begin();
  using stream = device.stream(id);
  stream.prompt("Work");
  await stream.until(isResult);
  return id;
}

const statuses = ({ files }: any) =>
  Object.fromEntries(
    files.map(({ path, status }: any) => [path, status]).toSorted(([a]: any, [b]: any) => (a < b ? -1 : 1)),
  );

async function changesOf(device: WebDevice, id: string, query = "") {
  const { status, json } = await device.request("GET", `/v1/sessions/${id}/diff${query}`);
  if (status !== 200) throw new Error(JSON.stringify(json));
  return json;
}

function repository(home: TemporaryHome): string {
  for (const [name, text] of Object.entries({
    "edited.txt": "one\ntwo\n",
    "by-command.txt": "before\n",
    "removed.txt": "x\n",
    "dirty.txt": "committed\n",
    "kept.txt": "hidden\n",
    "same.txt": "same\n",
  }))
    home.write(name, text);
  git(home.project, "init", "-q");
  git(home.project, "add", "-A");
  git(home.project, "commit", "-qm", "First");
  // What the user had changed before.
  home.write("dirty.txt", "not committed\n");
  home.write("untracked-before.txt", "x\n");
  home.settings(ALLOWED);
  return git(home.project, "rev-parse", "HEAD");
}

test("all that a session changed is compared with its start: edits, commands, commits, deletions; rules hide files", async () => {
  using home = temporaryHome();
  const commit = repository(home);
  const in_ = (name: string) => join(home.project, name);
  const user = "git -c user.name=a -c user.email=a@b";
  await using model = await startMockModel([
    call("Read", { file_path: in_("edited.txt") }),
    call("Edit", { file_path: in_("edited.txt"), old_string: "two", new_string: "2" }),
    call("Write", { file_path: in_("written.txt"), content: "new\n" }),
    bash("echo after > by-command.txt; rm removed.txt; printf 'a\\0b' > picture.bin; echo 1 > 'a \"name\".txt'"),
    bash(`git add -A written.txt by-command.txt && ${user} commit -qm Mine && echo more > after-commit.txt`),
    { text: "Done." },
  ]);
  await using web = await startWeb({ home, url: model.url });
  const device = await web.signIn();
  const id = await work(device);
  home.write("secret.txt", "hidden, too\n");
  home.write("kept.txt", "hidden as well\n");
  const live = await changesOf(device, id);
  const expected = {
    'a "name".txt': "added",
    "after-commit.txt": "added",
    "by-command.txt": "modified",
    "edited.txt": "modified",
    "picture.bin": "added",
    "removed.txt": "deleted",
    "written.txt": "added",
  };
  expect([statuses(live), live.commit, live.hidden, live.incomplete]).toEqual([expected, commit, 2, false]);
  for (const part of ["-two\n+2", "-before\n+after", "+new", "Binary files /dev/null and b/picture.bin differ"])
    expect(live.diff).toContain(part);
  for (const part of ["hidden", "not committed", "untracked-before", "kept.txt", "secret.txt"])
    expect(live.diff).not.toContain(part);
  const since = await changesOf(device, id, "?since=commit");
  expect(Object.keys(statuses(since))).not.toContain("written.txt");
  expect((await device.request("GET", `/v1/sessions/${id}/diff?since=never`)).status).toBe(400);

  // The next server says the same of it, without opening it.
  web.program.kill("SIGKILL");
  await web.program.done;
  home.settings({
    ...ALLOWED,
    hooks: { SessionStart: [{ hooks: [{ type: "command", command: "touch opened" }] }] },
  });
  await using next = await startWeb({ home, url: model.url });
  const driver = await next.signIn();
  const viewer = await next.signIn(
    `${next.address}/#code=${(await driver.request("POST", "/v1/devices", { role: "viewer" })).json.code}`,
  );
  const stored = await changesOf(viewer, id);
  const { diff: _, ...facts } = stored;
  const { diff: __, ...liveFacts } = live;
  const byPath = (a: any, b: any) => (a.path < b.path ? -1 : 1);
  expect({ ...facts, files: facts.files.toSorted(byPath) }).toEqual({
    ...liveFacts,
    files: liveFacts.files.toSorted(byPath),
  });
  expect([
    await Bun.file(in_("opened")).exists(),
    (await driver.request("GET", `/v1/sessions/${id}`)).json.open,
  ]).toEqual([false, false]);
});

test("a link that took the place of an edited file shows nothing of where it leads", async () => {
  using home = temporaryHome();
  repository(home);
  const outside = home.write("~/outside.txt", "outside of it all\n");
  const file_path = join(home.project, "written.txt");
  await using model = await startMockModel([
    call("Write", { file_path, content: "new\n" }),
    bash(`rm written.txt && ln -s ${outside} written.txt && ln -s ${outside} made-link`),
    { text: "Done." },
  ]);
  await using web = await startWeb({ home, url: model.url });
  const device = await web.signIn();
  const { diff } = await changesOf(device, await work(device));
  expect(diff).not.toContain("outside of it all");
});

test("outside a repository, edits are compared with what was there, and files of commands are found", async () => {
  using home = temporaryHome();
  home.write("edited.txt", "one\n");
  home.write("by-command.txt", "before\n");
  home.write("untouched.txt", "x\n");
  home.settings(ALLOWED);
  const old = new Date(2020, 1, 1);
  for (const name of ["edited.txt", "by-command.txt"]) utimesSync(join(home.project, name), old, old);
  symlinkSync("/etc", join(home.project, "link"));
  const file_path = join(home.project, "edited.txt");
  await using model = await startMockModel([
    call("Read", { file_path }),
    call("Edit", { file_path, old_string: "one", new_string: "1" }),
    bash("echo after > by-command.txt; mkdir made; echo m > made/file.txt"),
    { text: "Done." },
  ]);
  await using web = await startWeb({ home, url: model.url });
  const device = await web.signIn();
  const id = await device.begin();
  expect(await changesOf(device, id)).toMatchObject({ diff: "", files: [] });
  using stream = device.stream(id);
  stream.prompt("Work");
  await stream.until(isResult);
  home.write("secret.txt", "s\n");
  const found = await changesOf(device, id);
  expect(statuses(found)).toEqual({
    "by-command.txt": "modified",
    "edited.txt": "modified",
    "made/file.txt": "added",
  });
  // What it was before a command changed it is not known.
  expect([found.commit, found.hidden, found.incomplete]).toEqual([null, 1, true]);
  expect(found.diff).toContain("-one\n+1");
  expect(found.diff).toContain("+m");
  expect(found.diff).not.toContain("after");
});
