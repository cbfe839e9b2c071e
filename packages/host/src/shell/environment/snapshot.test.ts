import { expect, test } from "bun:test";
import { directoryFrom, quote } from "../script.ts";
import { snapshotText } from "./snapshot.ts";

const bash = { path: "/bin/bash", kind: "bash" } as const;
const plain = { functions: "", aliases: "", before: "shopt -u a\n", after: "shopt -u a\n", path: "/bin\n" };

test("snapshotText() is empty if the startup files changed nothing", () => {
  expect(snapshotText(plain, bash, "/usr/bin:/bin")).toBe("");
});

test("snapshotText() contains the differences, with aliases last", () => {
  const state = {
    functions: "f () \n{ \n    :\n}\n",
    aliases: "alias l='ls'\n",
    before: "shopt -u globstar\nshopt -u login_shell\nshopt -u dotglob\n",
    after: "shopt -s globstar\nshopt -s login_shell\nshopt -s dotglob\n",
    path: "/home/it's/bin:/bin:relative:/home/it's/bin\n",
  };
  expect(snapshotText(state, bash, "/usr/bin:/bin")).toBe(
    "f () \n{ \n    :\n}\nshopt -s globstar\nshopt -s expand_aliases\nalias l='ls'\nexport PATH='/usr/bin:/bin:/home/it'\\''s/bin'\n",
  );
});

test("snapshotText() enables extglob for functions, but not for commands", () => {
  const state = { ...plain, functions: "f () \n{ \n    echo !(a)\n}\n", after: "shopt -s extglob\n" };
  expect(snapshotText(state, bash, "/bin")).toBe(`shopt -s extglob\n${state.functions}shopt -u extglob\n`);
});

test("directoryFrom() accepts a path with a newline in it, and only a path", () => {
  expect(["/a\nb\n", "/a", "", "pwd: error\n"].map(directoryFrom)).toEqual(["/a\nb", null, null, null]);
  expect(quote("it's")).toBe("'it'\\''s'");
});
