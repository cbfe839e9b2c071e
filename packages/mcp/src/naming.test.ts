import { expect, test } from "bun:test";
import { toolName } from "./naming.ts";

test.each([
  ["calc", "add", "mcp__calc__add"],
  ["my srv.x", "echo it.now", "mcp__my_srv_x__echo_it_now"],
  ["plugin:docs:api", "get-page", "mcp__plugin_docs_api__get-page"],
  ["a__b", "c", "mcp__a__b__c"],
  ["é", "👍", "mcp_______"],
])("toolName(%p, %p) is %p", (server, tool, name) => {
  expect(toolName(server, tool)).toBe(name);
});
