import { expect, test } from "bun:test";
import { directoryFrom, quote } from "../script.ts";
import { snapshotText } from "./snapshot.ts";

const bash = { path: "/bin/bash", kind: "bash" } as const;
const plain = { functions: "", aliases: "", before: "shopt -u a\n", after: "shopt -u a\n", path: "/bin\n" };

test("snapshotText() is empty when the start files changed nothing", () => {
  expect(snapshotText(plain, bash, "/usr/bin:/bin")).toBe("");
});

test("snapshotText() holds what differs, aliases last of all that they could change", () => {
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

test("snapshotText() reads functions with extended patterns, and leaves these off for commands", () => {
  const state = { ...plain, functions: "f () \n{ \n    echo !(a)\n}\n", after: "shopt -s extglob\n" };
  expect(snapshotText(state, bash, "/bin")).toBe(`shopt -s extglob\n${state.functions}shopt -u extglob\n`);
});

test("directoryFrom() takes a path with a newline in it, and nothing that is no path", () => {
  expect(["/a\nb\n", "/a", "", "pwd: error\n"].map(directoryFrom)).toEqual(["/a\nb", null, null, null]);
  expect(quote("it's")).toBe("'it'\\''s'");
});
