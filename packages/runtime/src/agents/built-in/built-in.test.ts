// The built-in agents: what is listed, and that each has its text.

import { expect, test } from "bun:test";
import { agentListing } from "@keelson/engine/agents";
import { builtInAgents } from "./built-in.ts";
import { builtInText } from "./texts.ts";

const LOOKING = ["Bash", "Glob", "Grep", "LSP", "Read", "mcp__*"];

test("has the agents of the reference and one for shell commands", () => {
  const rows = builtInAgents({}).map(({ name, model, tools, disallowedTools, oneShot, omitsInstructions }) => [
    ...[name, model, tools, disallowedTools.length > 0, oneShot, omitsInstructions],
  ]);
  expect(rows).toEqual([
    ["claude", undefined, undefined, false, undefined, undefined],
    ["Explore", "haiku", LOOKING, false, true, true],
    ["general-purpose", undefined, undefined, false, undefined, undefined],
    ["Plan", "inherit", LOOKING, false, true, true],
    ["statusline-setup", "sonnet", ["Read", "Edit"], false, undefined, undefined],
    ["Bash", undefined, ["Bash"], false, undefined, undefined],
  ]);
});

test("Explore and Plan can be turned off", () => {
  const names = builtInAgents({ CLAUDE_CODE_DISABLE_EXPLORE_PLAN_AGENTS: "1" }).map(({ name }) => name);
  expect(names).toEqual(["claude", "general-purpose", "statusline-setup", "Bash"]);
});

test("each has a text that says what to report, and costs little to list", () => {
  for (const { name } of builtInAgents({})) expect(builtInText(name)).toMatch(/your last message/i);
  expect(agentListing(builtInAgents({}))!.length).toBeLessThan(1_800);
  expect(() => builtInText("toString")).toThrow("No built-in agent is called 'toString'");
});
