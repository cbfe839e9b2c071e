import { expect, test } from "bun:test";
import { deniesWriting, denyPlaces, matcherOf } from "./deny-pattern.ts";

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

test.each<[string, string[], string[]]>([
  ["Edit(secrets/**)", ["/p/secrets", "/p/secrets/deep", "/p/a/secrets"], ["/p/dist"]],
  ["Write(./dist/kept.js)", ["/p/dist", "/p"], ["/p/src", "/p/dist/assets"]],
  ["Edit(dist/*)", ["/p/dist", "/p/dist/a"], ["/p/src"]],
  ["Edit(**/*.lock)", [], ["/p/dist"]],
  ["Edit(**)", ["/p/dist"], ["/q"]],
  ["Edit(//p/dist/assets/**)", ["/p/dist", "/p/dist/assets/x"], ["/p/dist/other"]],
  ["Read(dist/**)", [], ["/p/dist"]],
])("%s denies writing to some folders", (rule, denied, others) => {
  const [tool, content] = [rule.slice(0, rule.indexOf("(")), rule.slice(rule.indexOf("(") + 1, -1)];
  const rules = [{ behavior: "deny", tool, content, base: "/p" }];
  const isDenied = (folder: string) => deniesWriting(folder, rules, { directories: ["/p"], home: "/home/me" });
  expect([denied.filter((each) => !isDenied(each)), others.filter(isDenied)]).toEqual([[], []]);
});
