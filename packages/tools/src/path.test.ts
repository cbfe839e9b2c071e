import { expect, test } from "bun:test";
import { nearestName, resolvePath, shownPath } from "./path.ts";

const place = {
  workspace: { root: "/p", directories: ["/p"], former: [], cwd: "/p/src", move: () => false },
  env: { HOME: "/home/me" },
};

test("resolvePath() starts at the working directory and expands the home directory", () => {
  const cases = {
    "a.ts": "/p/src/a.ts",
    "../b": "/p/b",
    "/etc/x": "/etc/x",
    "~/c": "/home/me/c",
    "~": "/home/me",
    "~x": "/p/src/~x",
  };
  for (const [given, meant] of Object.entries(cases)) expect(resolvePath(given, place)).toBe(meant);
  expect(() => resolvePath("a\0b", place)).toThrow("NUL");
});

test("shownPath() is relative only inside the working directory", () => {
  expect(["/p/src/a", "/p/src", "/p", "/p/srcs", "/p/src/..a"].map((path) => shownPath(path, "/p/src"))).toEqual([
    "a",
    ".",
    "/p",
    "/p/srcs",
    "..a",
  ]);
});

test("nearestName() finds a different case, a different extension and small typos, and nothing else", () => {
  const names = ["README.md", "config.json", "server.ts", "x"];
  const cases: [string, string | undefined][] = [
    ["readme.md", "README.md"],
    ["config.yaml", "config.json"],
    ["servr.ts", "server.ts"],
    ["client.ts", undefined],
    ["yz", undefined],
  ];
  for (const [wanted, near] of cases) expect(nearestName(wanted, names)).toBe(near);
});
