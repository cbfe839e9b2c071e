// keelson trust with fake I/O: what it prints and writes, and its errors.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { main } from "../../main.ts";
import { withFakeIO, put, removed, scratch } from "../command-io.test-support.ts";

let root: string;

beforeEach(() => {
  root = scratch("trust-command");
});
afterEach(() => removed(root));

async function keelson(...argv: string[]) {
  const { code, out, err } = await withFakeIO(root, (io) => main(argv, io));
  const clean = (text: string) => text.replaceAll(root, "");
  return { code, out: clean(out), err: err.map(clean) };
}

const saved = () => JSON.parse(readFileSync(join(root, "home/.claude.json"), "utf8")).projects;
const allowed = async () => (await keelson("config", "get", "permissions.allow")).out;

test("trust makes the settings of the folder apply, and --revoke undoes it", async () => {
  put(root, "project/.claude/settings.json", { permissions: { allow: ["Bash(make)"] } });
  expect(await allowed()).toBe("");

  expect(await keelson("trust")).toEqual({
    code: 0,
    out: `Trusted /project
All of its settings now apply: allow rules, permission modes, environment variables and more.
Folders inside it are not trusted. To undo this: keelson trust --revoke
Saved in ~/.claude.json
`,
    err: [],
  });
  expect(saved()).toEqual({ [join(root, "project")]: { hasTrustDialogAccepted: true } });
  expect(await allowed()).toBe('["Bash(make)"]\n');
  expect((await keelson("trust")).out).toBe("/project is already trusted\n");

  expect(await keelson("trust", "--revoke")).toEqual({
    code: 0,
    out: "Revoked trust in /project\nSaved in ~/.claude.json\n",
    err: [],
  });
  expect(await allowed()).toBe("");
  expect((await keelson("trust", "--revoke")).out).toBe("/project is not trusted\n");
});

test("trust takes a folder, follows links to it, and --list shows what is trusted", async () => {
  expect((await keelson("trust", "--list")).out).toBe("No trusted folders\n");
  mkdirSync(join(root, "other"));
  symlinkSync("other", join(root, "link"));
  put(root, "home/.claude.json", { projects: { [join(root, "link")]: { hasTrustDialogAccepted: true } } });

  expect((await keelson("trust", "../link")).out).toStartWith("Trusted /other\n");
  expect((await keelson("trust", "--list")).out).toBe("/link\n/other\n");
  expect(JSON.parse((await keelson("trust", "--list", "--json")).out)).toEqual({ folders: ["/link", "/other"] });
  // Under its other names too, or the folder would stay trusted there.
  expect((await keelson("trust", "--revoke", "../other")).code).toBe(0);
  expect((await keelson("trust", "--list")).out).toBe("No trusted folders\n");
});

test("trust in a folder that is gone can be revoked", async () => {
  mkdirSync(join(root, "other"));
  expect((await keelson("trust", "../other")).out).toContain("To undo this: keelson trust --revoke /other\n");
  rmSync(join(root, "other"), { recursive: true });
  expect((await keelson("trust", "--revoke", "../other")).out).toStartWith("Revoked trust in /other\n");
  expect((await keelson("trust", "--list")).out).toBe("No trusted folders\n");
  expect((await keelson("trust", "--revoke", "../other")).err).toEqual(["error: folder not found: /other"]);
});

test("trusting the home folder is possible, with a warning", async () => {
  expect((await keelson("trust", "../home")).err).toEqual([
    "warning: this is your home folder; trust your projects one by one",
  ]);
});

test("errors", async () => {
  put(root, "project/file", "");
  const usage = "usage: keelson trust [--revoke] [folder], or keelson trust --list [--json]";
  const cases: [string[], string][] = [
    [["../gone"], "error: folder not found: /gone"],
    [["file"], "error: not a folder: /project/file"],
    [["me,", "fix", "it"], `error: ${usage}\nTo send it as a prompt: keelson -p 'trust me, fix it'`],
    [["--list", "a"], `error: ${usage}`],
    [["--json"], `error: ${usage}`],
    [["--revok"], "error: unknown option '--revok' (did you mean --revoke?)"],
  ];
  for (const [argv, message] of cases) {
    expect(await keelson("trust", ...argv)).toEqual({ code: 1, out: "", err: [message] });
  }
  put(root, "home/.claude.json", "{ broken");
  for (const argv of [["trust"], ["trust", "--list"], ["trust", "--revoke"]]) {
    const { code, out, err } = await keelson(...argv);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err[0]).toStartWith("error: /home/.claude.json is not valid JSON");
  }
});

test("--help explains what trust does", async () => {
  const { code, out } = await keelson("trust", "--help");
  expect(code).toBe(0);
  expect(out).toContain(
    "so that all of its settings apply: allow rules,\npermission modes, environment variables and more",
  );
  expect(out).toContain("--revoke");
});
