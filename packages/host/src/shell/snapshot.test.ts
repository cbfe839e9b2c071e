import { expect, test } from "bun:test";
import { chooseShell, directoryFrom, quote } from "./script.ts";
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
    before: "shopt -u a\nshopt -u login_shell\n",
    after: "shopt -s a\nshopt -s login_shell\n",
    path: "/home/it's/bin:/bin:relative:/home/it's/bin\n",
  };
  expect(snapshotText(state, bash, "/usr/bin:/bin")).toBe(
    "f () \n{ \n    :\n}\nshopt -s a\nshopt -s expand_aliases\nalias l='ls'\nexport PATH='/usr/bin:/bin:/home/it'\\''s/bin'\n",
  );
});

test("chooseShell() takes bash or zsh as told, then the login shell, then bash from the PATH", () => {
  const choose = (env: Record<string, string>) =>
    chooseShell(
      env,
      (path) => !path.includes("missing"),
      () => "/found/bash",
    );
  expect(choose({ CLAUDE_CODE_SHELL: "/opt/bash", SHELL: "/bin/zsh" })).toEqual({ path: "/opt/bash", kind: "bash" });
  expect(choose({ CLAUDE_CODE_SHELL: "/missing/bash", SHELL: "/bin/zsh" })).toEqual({ path: "/bin/zsh", kind: "zsh" });
  expect(choose({ SHELL: "/usr/bin/fish" })).toEqual({ path: "/found/bash", kind: "bash" });
  // Relative names would be looked up in the working directory.
  expect(choose({ CLAUDE_CODE_SHELL: "bash", SHELL: "./zsh" })).toEqual({ path: "/found/bash", kind: "bash" });
});

test("directoryFrom() takes a path with a newline in it, and nothing that is no path", () => {
  expect(["/a\nb\n", "/a", "", "pwd: error\n"].map(directoryFrom)).toEqual(["/a\nb", null, null, null]);
  expect(quote("it's")).toBe("'it'\\''s'");
});
