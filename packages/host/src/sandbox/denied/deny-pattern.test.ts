import { expect, test } from "bun:test";
import { denyPlaces, matcherOf } from "./deny-pattern.ts";

const places = (content: string, more: object = {}) =>
  denyPlaces([{ behavior: "deny", tool: "Read", content, base: "/base", ...more }], {
    directories: ["/p"],
    home: "/home/me",
  });

test.each([
  ["//etc/shadow", "/etc/shadow"],
  ["~/.ssh", "/home/me/.ssh"],
  ["~/.ssh/**", "/home/me/.ssh"],
  ["/config/key", "/base/config/key"],
  ["secrets/key", "/p/secrets/key"],
  ["secrets/deep/**", "/p/secrets/deep"],
  ["../up/key", "/up/key"],
])("Read(%s) is one path: %s", (content, path) => {
  expect(places(content)).toEqual([{ kind: "path", path }]);
});

test.each<[string, string, string[], string[]]>([
  [".env", "/p", [".env", "a/b/.env", ".ENV"], [".env.local", "x.env", "a/.envrc"]],
  ["./.env", "/p", [".env", "a/.env"], ["env"]],
  ["secrets/**", "/p", ["secrets", "a/secrets"], ["secrets.txt", "my-secrets"]],
  ["**/*.pem", "/p", ["a.pem", "x/y/b.pem"], ["a.pem.txt"]],
  ["conf/*.key", "/p/conf", ["a.key"], ["b/a.key"]],
  ["~/work/**/id_?sa", "/home/me/work", ["id_rsa", "a/id_dsa"], ["id_rs"]],
  ["a.[ch]", "/p", ["a.c", "x/a.h"], ["a"]],
  ["//srv/*/key", "/srv", ["x/key"], ["key", "x/y/key"]],
  ["**", "/p", ["a", ".b"], []],
  ["lit\\*eral", "/p", ["lit*eral"], ["litXeral"]],
])("Read(%s) is searched in %s", (content, folder, matching, others) => {
  const [place, ...more] = places(content);
  expect(more).toEqual([]);
  if (place?.kind !== "search") throw new Error("a search was expected");
  expect(place.folder).toBe(folder);
  const isMeant = matcherOf([place.pattern]);
  expect(matching.filter((path) => !isMeant(path))).toEqual([]);
  expect(others.filter((path) => isMeant(path))).toEqual([]);
});

test("only Read deny rules with a path are used", () => {
  expect(places("x", { behavior: "allow" })).toEqual([]);
  expect(places("x", { tool: "Edit" })).toEqual([]);
  expect(places("x", { content: undefined })).toEqual([]);
  expect([places("!x"), places("#x"), places("")]).toEqual([[], [], []]);
});
