import { expect, test } from "bun:test";
import { renderServerInstructions } from "./instructions.ts";

test("servers speak one after the other, each under its name", () => {
  expect(
    renderServerInstructions([
      { name: "calc", instructions: "Sums." },
      { name: "mute" },
      { name: "docs", instructions: "Pages." },
    ]),
  ).toBe(
    "# MCP Server Instructions\n\nHow these MCP servers say their tools are best used:\n\n## calc\nSums.\n\n## docs\nPages.",
  );
});

test("without a word there is no section", () => {
  expect(renderServerInstructions([{ name: "mute" }])).toBeUndefined();
});
