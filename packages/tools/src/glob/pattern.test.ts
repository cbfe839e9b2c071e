import { expect, test } from "bun:test";
import { splitPattern } from "./pattern.ts";

test("splitPattern() returns the start folder and the maximum depth", () => {
  const cases: [string, string, string, number | undefined][] = [
    ["*.ts", "/p", "*.ts", undefined],
    ["**/*.ts", "/p", "/**/*.ts", undefined],
    ["src/*.ts", "/p/src", "/*.ts", 1],
    ["src/a.ts", "/p/src", "/a.ts", 1],
    ["src/*/b/*.ts", "/p/src", "/*/b/*.ts", 3],
    ["./*.ts", "/p", "/*.ts", 1],
    ["../lib/**", "/lib", "/**", undefined],
    ["/etc/*.conf", "/etc", "/*.conf", 1],
    ["/*.txt", "/", "/*.txt", 1],
    ["src/../../etc/*", "/etc", "/*", 1],
    ["{a,b/c}/*.ts", "/p", "/{a,b/c}/*.ts", undefined],
    ["src/", "/p/src", "/**", undefined],
    ["!x", "/p", "\\!x", undefined],
    ["#x#", "/p", "\\#x#", undefined],
    ["x ", "/p", "x\\ ", undefined],
  ];
  for (const [pattern, base, glob, depth] of cases) {
    expect({ pattern, ...splitPattern(pattern, "/p") }).toEqual({ pattern, base, glob, depth });
  }
});
