import { expect, test } from "bun:test";
import { defineTool, type Rule, type Tool } from "@keelson/engine";
import { withMcpTools } from "./pool.ts";

const named = (name: string, aliases?: string[]): Tool =>
  defineTool({
    name,
    aliases,
    description: "",
    input: { json: { type: "object" } },
    access: () => ({ kind: "external" }),
    run: async () => "",
    show: () => "",
  });

const deny = (tool: string): Rule => ({ behavior: "deny", tool, source: "userSettings", base: "/", text: tool });

const builtIn = [named("Bash", ["mcp__old__shell"]), named("Read")];
const mcp = [named("mcp__b__x"), named("mcp__a__y"), named("mcp__a__x"), named("mcp__old__shell"), named("Read")];
const offered = (rules: readonly Rule[] = []) => withMcpTools(builtIn, mcp, rules).map(({ name }) => name);

test("MCP tools follow the built-ins, sorted; a built-in keeps its names", () => {
  expect(offered()).toEqual(["Bash", "Read", "mcp__a__x", "mcp__a__y", "mcp__b__x"]);
});

test("a deny rule takes a tool, a server or all servers away", () => {
  expect(offered([deny("mcp__a__x")])).toEqual(["Bash", "Read", "mcp__a__y", "mcp__b__x"]);
  expect(offered([deny("mcp__a")])).toEqual(["Bash", "Read", "mcp__b__x"]);
  expect(offered([deny("mcp__*")])).toEqual(["Bash", "Read"]);
});

test("without servers the list is the very same", () => {
  expect(withMcpTools(builtIn, [], [])).toBe(builtIn);
});
