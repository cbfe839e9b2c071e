import { expect, test } from "bun:test";
import { nearestName, resolvePath, shownPath } from "./path.ts";

const place = {
  workspace: { root: "/p", directories: ["/p"], cwd: "/p/src", move: () => false },
  env: { HOME: "/home/me" },
};

test("resolvePath() starts at the working directory and knows the home directory", () => {
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

test("shownPath() is relative inside the working directory only", () => {
  expect(["/p/src/a", "/p/src", "/p", "/p/srcs", "/p/src/..a"].map((path) => shownPath(path, "/p/src"))).toEqual([
    "a",
    ".",
    "/p",
    "/p/srcs",
    "..a",
  ]);
});

test("nearestName() finds other case, other extension and small slips, and nothing far off", () => {
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
