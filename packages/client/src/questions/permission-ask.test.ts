import { expect, test } from "bun:test";
import { allowedBy, readAsk, savedIn } from "./permission-ask.ts";

const ask = (fields: object) => readAsk({ subtype: "can_use_tool", ...fields });

test("fields of the wrong type count as absent", () => {
  const odd = { tool_name: 1, input: ["a"], mcp_server: "s", matched_ask_rule: null, permission_suggestions: {} };
  expect(ask({ ...odd, patch: "p", agent_id: {}, decision_reason: [], blocked_path: 2 })).toEqual({
    id: "",
    tool: "",
    input: {},
    kind: "other",
    suggestions: [],
    isReasonDefault: false,
    isTeammate: false,
    defaultToNo: false,
  });
});

test("a suggestion says what it allows and where it is saved", () => {
  const rules = [{ toolName: "Bash", ruleContent: "npm test" }, { toolName: "Read" }];
  const permission_suggestions = [
    { type: "addRules", rules, behavior: "allow", destination: "projectSettings" },
    { type: "addDirectories", directories: ["/a", "/b"], destination: "session" },
    { type: "setMode", mode: "acceptEdits", destination: "session" },
    { type: "setMode", mode: "auto", destination: "userSettings" },
  ];
  expect(ask({ permission_suggestions }).suggestions.map((each) => [allowedBy(each), savedIn(each)])).toEqual([
    ["Bash(npm test), Read", ".claude/settings.json"],
    ["access to /a, /b", undefined],
    ["all edits", undefined],
    ["everything that mode auto allows", "~/.claude/settings.json"],
  ]);
  expect(ask({ permission_suggestions, suppress_always_allow_rule: true }).suggestions).toEqual([]);
});

test("what allows nothing, or cannot be shown, is not suggested", () => {
  const rule = { toolName: "Bash" };
  const permission_suggestions = [
    { type: "addRules", rules: [rule], behavior: "deny", destination: "session" },
    { type: "addRules", rules: [rule, { toolName: 1 }], behavior: "allow", destination: "session" },
    { type: "addRules", rules: [{ toolName: "Bash", ruleContent: 1 }], behavior: "allow", destination: "session" },
    { type: "addRules", rules: [], behavior: "allow", destination: "session" },
    { type: "removeRules", rules: [rule], behavior: "allow", destination: "session" },
    { type: "addDirectories", directories: [1], destination: "session" },
    { type: "setMode", mode: {}, destination: "session" },
    "rule",
  ];
  expect(ask({ permission_suggestions }).suggestions).toEqual([]);
});
