// Which tools an agent gets.

import { expect, test } from "bun:test";
import { agentTools, type AgentToolsOptions } from "./tools.ts";

const POOL = [
  { name: "Agent", aliases: ["Task"] },
  { name: "AskUserQuestion" },
  { name: "Bash" },
  { name: "CronCreate" },
  { name: "Edit" },
  { name: "ExitPlanMode" },
  { name: "Grep" },
  { name: "Read" },
  { name: "ScheduleWakeup" },
  { name: "StructuredOutput" },
  { name: "TaskOutput", aliases: ["BashOutput"] },
  { name: "TaskStop" },
  { name: "TodoWrite" },
  { name: "Write" },
  { name: "mcp__db__query" },
  { name: "mcp__db__write" },
  { name: "mcp__db__old__query" },
  { name: "mcp__web__get" },
];

const ALL = POOL.map(({ name }) => name);
const SERVERS = new Map([
  ["mcp__db__query", "db"],
  ["mcp__db__write", "db"],
  ["mcp__db__old__query", "db__old"],
  ["mcp__web__get", "web"],
]);

function choose(tools: readonly string[] | undefined, disallowedTools: readonly string[] = [], options = {}) {
  const { tools: left, ...rest } = agentTools(POOL, { ...(tools && { tools }), disallowedTools }, {
    kind: "main",
    maySpawn: true,
    ...options,
  } as AgentToolsOptions);
  return { tools: left.map(({ name }) => name), ...rest };
}

const names = (...given: Parameters<typeof choose>) => choose(...given).tools;

test.each<[string, readonly string[] | undefined, readonly string[], readonly string[]]>([
  ["no list: all of them", undefined, [], ALL],
  ["a star: all of them", ["*"], [], ALL],
  ["an empty list: none", [], [], []],
  ["names, in the order of the pool", ["Read", "Bash"], [], ["Bash", "Read"]],
  ["unknown names are dropped", ["Read", "LS", "MultiEdit", "bash"], [], ["Read"]],
  ["only unknown names: none", ["read", "bash"], [], []],
  ["what is in parentheses does not count", ["Bash(git:*)"], [], ["Bash"]],
  ["Task is Agent", ["Task"], [], ["Agent"]],
  ["names that a tool used to have", ["BashOutput"], [], ["TaskOutput"]],
  ["a server, not one whose name begins alike", ["mcp__db"], [], ["mcp__db__query", "mcp__db__write"]],
  ["all tools of a server", ["mcp__web__*"], [], ["mcp__web__get"]],
  ["all servers", ["mcp__*"], [], ["mcp__db__query", "mcp__db__write", "mcp__db__old__query", "mcp__web__get"]],
  ["one tool of a server", ["mcp__db__query"], [], ["mcp__db__query"]],
  ["other patterns name nothing", ["Re*", "B*h"], [], []],
  ["what it refuses is not added by what it names", ["Read", "Bash"], ["Bash"], ["Read"]],
  ["all but some", undefined, ["mcp__*", "Task"], ALL.filter((name) => !/^mcp__|^Agent$/.test(name))],
  ["a refused server is refused in every reading of its name", ["mcp__*"], ["mcp__db"], ["mcp__web__get"]],
  ["a refused star leaves none", undefined, ["*"], []],
  ["a refusal that is not closed takes the whole tool", ["Read", "Bash"], ["Bash(rm *"], ["Read"]],
])("%s", (_, tools, refused, expected) => {
  expect(names(tools, refused, { serverOf: (name: string) => SERVERS.get(name) })).toEqual([...expected]);
});

test("without knowing the servers, a server's name covers only tools that leave no doubt", () => {
  expect(names(["mcp__db"])).toEqual(["mcp__db__query", "mcp__db__write"]);
});

test("a part of a tool is refused by a rule, not by taking the tool away", () => {
  expect(choose(["Bash", "Read"], ["Bash(rm *)"])).toEqual({ tools: ["Bash", "Read"], denied: ["Bash(rm *)"] });
});

test("a foreground agent has no tools that wait for the user, the session's tasks or its next turn", () => {
  expect(names(undefined, [], { kind: "foreground" })).toEqual([
    ...["Agent", "Bash", "CronCreate", "Edit", "Grep", "Read", "TaskStop", "TodoWrite", "Write"],
    ...["mcp__db__query", "mcp__db__write", "mcp__db__old__query", "mcp__web__get"],
  ]);
});

test("a background agent keeps a short list and the tools of servers", () => {
  expect(names(undefined, [], { kind: "background" })).toEqual([
    ...["Agent", "Bash", "Edit", "Grep", "Read", "TaskStop", "Write"],
    ...["mcp__db__query", "mcp__db__write", "mcp__db__old__query", "mcp__web__get"],
  ]);
});

test("naming a tool does not bring back what no agent of the kind has", () => {
  expect(names(["Read", "TaskOutput", "AskUserQuestion"], [], { kind: "foreground" })).toEqual(["Read"]);
  expect(names(["Read", "TodoWrite"], [], { kind: "background" })).toEqual(["Read"]);
});

test("an agent that may not spawn has no Agent tool, whatever it names", () => {
  expect(choose(["Read", "Agent(a)"], [], { maySpawn: false })).toEqual({ tools: ["Read"], denied: [] });
});

test.each<[readonly string[] | undefined, readonly string[] | undefined]>([
  [undefined, undefined],
  [["Read", "Agent"], undefined],
  [["*"], undefined],
  [
    ["Agent(worker, researcher)", "Read"],
    ["worker", "researcher"],
  ],
  [
    ["Task(worker)", "Agent(other)"],
    ["worker", "other"],
  ],
  [["Agent(worker)", "Agent"], undefined],
])("with tools %j it may start %j", (tools, agents) => {
  expect(choose(tools).agents).toEqual(agents as string[] | undefined);
});
