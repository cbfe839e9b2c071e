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

test("MCP tools follow the built-in tools, sorted; built-in tools keep their names", () => {
  expect(offered()).toEqual(["Bash", "Read", "mcp__a__x", "mcp__a__y", "mcp__b__x"]);
});

test("a deny rule removes a tool, a server or all servers", () => {
  expect(offered([deny("mcp__a__x")])).toEqual(["Bash", "Read", "mcp__a__y", "mcp__b__x"]);
  expect(offered([deny("mcp__a")])).toEqual(["Bash", "Read", "mcp__b__x"]);
  expect(offered([deny("mcp__*")])).toEqual(["Bash", "Read"]);
});

test("without MCP tools the list is the same object", () => {
  expect(withMcpTools(builtIn, [], [])).toBe(builtIn);
});
