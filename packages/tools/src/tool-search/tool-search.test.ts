import { expect, test } from "bun:test";
import { growth } from "@keelson/testkit";
import { answer, call, toolWorld } from "../tool-world.test-support.ts";
import { buildToolIndex, type DeferredTool } from "./tool-index.ts";
import { toolSearchTool, type ToolCatalog } from "./tool-search.ts";

const TOOLS: readonly DeferredTool[] = [
  { name: "NotebookEdit", description: "Edits a cell of a Jupyter notebook" },
  { name: "WebFetch", description: "Fetches a page from the web" },
  { name: "mcp__github__create_issue", server: "github", description: "Open a new issue in a repository" },
  { name: "mcp__github__list_issues", server: "github", description: "List the issues of a repository" },
  { name: "mcp__github__search", server: "github", description: "Search code and repositories" },
  { name: "mcp__my_srv_x__sendMessage", server: "my srv.x", description: "Sends a message to a channel" },
  { name: "mcp__slack__search", server: "slack", description: "Search messages, for example about an issue" },
];

interface Script {
  readonly tools?: readonly DeferredTool[];
  /** Servers that connect while the search waits, and the tools they bring. */
  readonly later?: { readonly servers: readonly string[]; readonly tools: readonly DeferredTool[] };
}

function searching({ tools = TOOLS, later }: Script = {}) {
  let list = tools;
  let connecting = later?.servers ?? [];
  const loaded: string[] = [];
  let waits = 0;
  const catalog: ToolCatalog = {
    search: () => list,
    load: (names) => loaded.push(...names),
    connecting: () => connecting,
    async waitForServers() {
      waits++;
      connecting = [];
      list = [...list, ...(later?.tools ?? [])];
    },
  };
  return { tool: toolSearchTool(catalog), loaded, waits: () => waits };
}

test.each<[query: string, matches: string[]]>([
  ["select:WebFetch", ["WebFetch"]],
  ["select: webfetch , mcp__slack__search ,", ["WebFetch", "mcp__slack__search"]],
  ["select:create_issue,sendMessage", ["mcp__github__create_issue", "mcp__my_srv_x__sendMessage"]],
  ["select:search", []],
  ["select:nothing,WebFetch,WebFetch", ["WebFetch"]],
  ["mcp__github__search", ["mcp__github__search"]],
  ["notebook", ["NotebookEdit"]],
  ["jupyter", ["NotebookEdit"]],
  ["send message", ["mcp__my_srv_x__sendMessage", "mcp__slack__search"]],
  ["issue", ["mcp__github__create_issue", "mcp__github__list_issues", "mcp__slack__search"]],
  ["list issues", ["mcp__github__list_issues", "mcp__github__create_issue", "mcp__slack__search"]],
  ["slack", ["mcp__slack__search"]],
  ["+slack issue", ["mcp__slack__search"]],
  ["+slack +create issue", []],
  ["github", ["mcp__github__create_issue", "mcp__github__list_issues", "mcp__github__search"]],
  ["my srv.x", ["mcp__my_srv_x__sendMessage"]],
  ["fetches?!", ["WebFetch"]],
  ["zebra", []],
  ["", []],
  ["select:", []],
  ["+", []],
  ["__proto__ constructor", []],
])("ToolSearch %p", async (query, matches) => {
  using world = toolWorld();
  const { tool, loaded } = searching();
  expect(await call(tool, { query }, world.context)).toEqual({ matches, query, total_deferred_tools: TOOLS.length });
  expect(loaded).toEqual(matches);
});

test.each([
  [undefined, 3],
  [1, 1],
  [2.9, 2],
  [0, 3],
  [-4, 1],
  [1e9, 3],
])("max_results %p gives %p of the three tools", async (max_results, count) => {
  using world = toolWorld();
  const input = { query: "github", ...(max_results === undefined ? {} : { max_results }) };
  expect((await call(searching().tool, input, world.context)).matches).toHaveLength(count);
});

test("the model gets references, or reads that there are none", async () => {
  using world = toolWorld();
  const { tool } = searching();
  expect(await answer(tool, { query: "select:WebFetch,NotebookEdit" }, world.context)).toEqual([
    { type: "tool_reference", tool_name: "WebFetch" },
    { type: "tool_reference", tool_name: "NotebookEdit" },
  ]);
  expect(await answer(tool, { query: "zebra" }, world.context)).toBe("No matching deferred tools found");
  const output = { matches: [], query: "q", total_deferred_tools: 0, pending_mcp_servers: ["a", "b c"] };
  expect(tool.show(output)).toBe("No matching deferred tools found. Still connecting, search again later: a, b c");
});

test.each<[query: string, waits: number, matches: string[]]>([
  ["slack", 0, ["mcp__slack__search"]],
  ["zebra", 1, ["mcp__late_one__zebra"]],
  ["select:WebFetch,mcp__late_one__zebra", 1, ["WebFetch", "mcp__late_one__zebra"]],
  ["search late one", 1, ["mcp__late_one__zebra", "mcp__github__search", "mcp__slack__search"]],
])("a search waits for servers only if it needs them: %p", async (query, waits, matches) => {
  using world = toolWorld();
  const tools = [{ name: "mcp__late_one__zebra", server: "late one", description: "Stripes" }];
  const search = searching({ later: { servers: ["late one"], tools } });
  const found = await call(search.tool, { query }, world.context);
  expect({ waits: search.waits(), matches: found.matches }).toEqual({ waits, matches });
  if (waits === 0) expect(found.pending_mcp_servers).toEqual(["late one"]);
});

/** 50 tools for each server, with words of their own and words that all share. */
function many(count: number, onRead: () => void = () => {}): DeferredTool[] {
  return Array.from({ length: count }, (_, n) => ({
    name: `mcp__server${n % 20}__do_thing_${n}`,
    server: `server${n % 20}`,
    get description() {
      onRead();
      return `Does thing number ${n} for word${n % 97} and word${n % 89}. ${"It has a long explanation. ".repeat(20)}`;
    },
  }));
}

test("names and descriptions are read once for a list of tools, however many searches there are", async () => {
  using world = toolWorld();
  let reads = 0;
  const { tool } = searching({ tools: many(1_000, () => reads++) });
  tool.prepare();
  expect(reads).toBe(1_000);
  for (let n = 0; n < 20; n++) await call(tool, { query: `thing ${n} word${n}` }, world.context);
  expect(reads).toBe(1_000);
});

test("a search over ten times the tools takes about ten times as long, not a hundred times", () => {
  const sizes = new Map([1_000, 10_000].map((size) => [size, buildToolIndex(many(size))]));
  const search = (size: number) => {
    for (let n = 0; n < 5; n++) sizes.get(size)!.ranked(["number", String(n), "thing", "word5", "zebra"], [], 5);
  };
  expect(growth(search, { from: 1_000, to: 10_000 })).toBeLessThan(35);
});
