import { expect, test } from "bun:test";
import * as core from "./core.ts";
import * as root from "./index.ts";

test("/core has functions of the root, and not those that read stored sessions", () => {
  const all = new Map(Object.entries(root));
  for (const [name, value] of Object.entries(core)) expect([name, all.get(name)]).toEqual([name, value]);
  expect(Object.keys(core)).toContain("query");
  expect(Object.keys(core)).not.toContain("getSessionMessages");
});
