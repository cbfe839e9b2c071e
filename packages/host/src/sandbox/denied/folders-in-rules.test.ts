import { expect, test } from "bun:test";
import { foldersInRules } from "./folders-in-rules.ts";

test.each<[rule: RegExp, denied: string, expected: string[]]>([
  [/^\/p\/a\/b\/key$/, "/p/a/b/key", ["/p/a/b", "/p/a"]],
  [/\/\.env$/, "/p/a/b/.env", []],
  [/^\/p\/a\/.*\.env$/, "/p/a/b/.env", ["/p/a/b", "/p/a"]],
  [/\/b\/key$/, "/p/a/b/key", ["/p/a/b"]],
  [/^\/p\/key$/, "/p/key", []],
  [/^\/elsewhere\//, "/elsewhere/a/key", []],
])("with a rule like %s, %s needs %j to stay in place", (rule, denied, expected) => {
  expect(foldersInRules([denied], { roots: ["/p"], mayRead: (path) => !rule.test(path) })).toEqual(expected);
});
