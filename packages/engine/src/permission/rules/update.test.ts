import { expect, test } from "bun:test";
import type { Rule } from "./rule.ts";
import { applyUpdate, type PermissionState } from "./update.ts";

const fromFile: Rule = { behavior: "allow", tool: "Bash", source: "userSettings", base: "/h", text: "Bash" };
const start: PermissionState = { mode: "default", rules: [fromFile] };
const rules = [{ toolName: "Bash", ruleContent: "npm test" }];
const added: Rule = {
  behavior: "allow",
  tool: "Bash",
  content: "npm test",
  source: "session",
  base: "/p",
  text: "Bash(npm test)",
};
const where = { behavior: "allow", destination: "session" } as const;

test("rules are added, replaced and removed within the session; rules from files stay", () => {
  const after = applyUpdate(start, { type: "addRules", rules, ...where }, "/p");
  expect(after).toEqual({ mode: "default", rules: [fromFile, added] });

  const replaced = applyUpdate(after, { type: "replaceRules", rules: [{ toolName: "Read" }], ...where }, "/p");
  expect(replaced.rules.map(({ text }) => text)).toEqual(["Bash", "Read"]);

  expect(applyUpdate(after, { type: "removeRules", rules: [...rules, { toolName: "Bash" }], ...where }, "/p")).toEqual(
    start,
  );
});

test("refusals are read as in settings, and removed as they were added", () => {
  const given = [{ toolName: "WebFetch", ruleContent: "*" }, { toolName: "mcp__my srv" }, { toolName: "not a name" }];
  const deny = { behavior: "deny", destination: "session", rules: given } as const;
  const after = applyUpdate(start, { type: "addRules", ...deny }, "/p");
  const read = after.rules.slice(1).map(({ tool, content, text }) => [tool, content, text]);
  expect(read).toEqual([
    ["WebFetch", undefined, "WebFetch(*)"],
    ["mcp__my_srv", undefined, "mcp__my srv"],
    ["not a name", undefined, "not a name"],
  ]);
  expect(applyUpdate(after, { type: "removeRules", ...deny }, "/p")).toEqual(start);
  const allowed = applyUpdate(start, { type: "addRules", ...deny, behavior: "allow" }, "/p");
  expect(allowed.rules[1]).toMatchObject({ tool: "WebFetch", content: "*" });
});

test("a mode replaces the mode; directories change nothing here", () => {
  expect(applyUpdate(start, { type: "setMode", mode: "plan", destination: "session" }, "/p").mode).toBe("plan");
  const directories = { type: "addDirectories", directories: ["/x"], destination: "session" } as const;
  expect(applyUpdate(start, directories, "/p")).toBe(start);
});
