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

test("a mode replaces the mode; directories change nothing here", () => {
  expect(applyUpdate(start, { type: "setMode", mode: "plan", destination: "session" }, "/p").mode).toBe("plan");
  const directories = { type: "addDirectories", directories: ["/x"], destination: "session" } as const;
  expect(applyUpdate(start, directories, "/p")).toBe(start);
});
