import { expect, test } from "bun:test";
import { defineTool, object, type Tool } from "@keelson/engine";
import type { AgentStages } from "../spawner.ts";
import { childTools } from "./tools.ts";

const tool = (name: string): Tool =>
  defineTool({
    name,
    description: name,
    input: object({}),
    access: () => ({ kind: "none" }),
    run: async () => "",
    show: () => "",
  });

function session(...names: string[]) {
  const tools = names.map(tool);
  const state = { tools, deferredTools: [] as Tool[], builtInTools: tools };
  const stages = { storage: { state }, mcp: { beforeRequest() {}, servers: undefined } } as unknown as AgentStages;
  const namesFor = (definition: object, more: { background?: boolean; maySpawn?: boolean } = {}) => {
    const agent = { definition: definition as never, background: false, maySpawn: false, own: [], ...more };
    return childTools(agent, stages)().tools.map(({ name }) => name);
  };
  return { state, stages, namesFor };
}

test("agents of one kind have the same tools, whoever was started in between", () => {
  const { namesFor } = session("Read", "Edit", "Agent", "AskUserQuestion");
  const writer = { disallowedTools: [] };
  const reader = { tools: ["Read", "Agent"], disallowedTools: [] };
  for (let time = 0; time < 2; time++) {
    expect(namesFor(writer)).toEqual(["Edit", "Read"]);
    expect(namesFor(writer, { maySpawn: true })).toEqual(["Agent", "Edit", "Read"]);
    expect(namesFor(reader)).toEqual(["Read"]);
    expect(namesFor(reader, { maySpawn: true })).toEqual(["Agent", "Read"]);
  }
});

test("an agent has the tools that the session has now", () => {
  const { state, stages, namesFor } = session("Read");
  const definition = { disallowedTools: [] };
  const current = childTools({ definition, background: false, maySpawn: false, own: [] }, stages);
  const running = () => current().tools;
  expect([running().length, namesFor(definition)]).toEqual([1, ["Read"]]);
  expect(running()).toBe(running());

  state.tools = state.builtInTools = ["Read", "Write"].map(tool);
  expect(running().map(({ name }) => name)).toEqual(["Read", "Write"]);
  state.deferredTools = [tool("mcp__files__list")];
  expect(namesFor(definition)).toEqual(["Read", "Write", "mcp__files__list"]);
});

test("each agent has its own instance of a tool, described as the session's is", () => {
  const { stages } = session("Skill");
  const definition = { disallowedTools: [] };
  const own = [tool("Skill"), tool("Skill")].map((each) => ({
    ...each,
    description: "another",
    run: async () => "mine",
  }));
  const given = own.map(
    (mine) => childTools({ definition, background: false, maySpawn: false, own: [mine] }, stages)().tools[0]!,
  );
  expect(given.map(({ run, description }) => [run, description])).toEqual(own.map(({ run }) => [run, "Skill"]));
});
