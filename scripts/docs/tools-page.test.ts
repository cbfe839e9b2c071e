import { beforeAll, expect, test } from "bun:test";
import { offeredTools, type ToolDefinition } from "./offered-tools.ts";
import { TOOL_FACTS } from "./tool-facts.ts";
import { toolsPage, toolsPageText } from "./tools-page.ts";

let tools: readonly ToolDefinition[];
beforeAll(async () => {
  tools = await offeredTools();
});

/** The formatter pads tables. */
const unpadded = (text: string) => text.replaceAll(/ +/g, " ").replaceAll(/-{3,}/g, "---");

test("docs/tools.md is up to date; run `bun scripts/docs/tools-page.ts` to fix it", async () => {
  expect(unpadded(await Bun.file(toolsPage).text())).toBe(unpadded(await toolsPageText(tools)));
});

test("the table of permissions has the tools that exist, and no others", () => {
  const names = tools.map(({ name }) => name);
  expect(Object.keys(TOOL_FACTS).toSorted()).toEqual(names.toSorted());
});

/** The tools that people know from compatible programs; Task is an older name of Agent. */
const EXPECTED = [
  "Read Write Edit Glob NotebookEdit Bash Monitor PowerShell Grep WebFetch WebSearch ToolSearch Agent SendMessage TodoWrite",
  "TaskCreate TaskGet TaskList TaskUpdate TaskStop TaskOutput CronCreate CronList CronDelete RemoteTrigger EnterPlanMode",
  "ExitPlanMode EnterWorktree ExitWorktree AskUserQuestion PushNotification ShareOnboardingGuide ListMcpResourcesTool",
  "ReadMcpResourceTool LSP Skill TeamCreate TeamDelete ScheduleWakeup StructuredOutput ReportFindings",
].flatMap((line) => line.split(" "));

test.each(EXPECTED)("%s is there, with a description and a closed schema", (name) => {
  const tool = tools.find((each) => each.name === name);
  expect(tool?.description.length).toBeGreaterThan(20);
  const isOpen = name === "StructuredOutput" || name === "ExitPlanMode";
  expect(tool?.input_schema.additionalProperties === false).toBe(!isOpen);
});
