import { expect, test } from "bun:test";
import { renderServerInstructions } from "./instructions.ts";

test("renderServerInstructions() puts each server's text under its name", () => {
  expect(
    renderServerInstructions([
      { name: "calc", instructions: "Sums." },
      { name: "mute" },
      { name: "docs", instructions: "Pages." },
    ]),
  ).toBe(
    "# MCP Server Instructions\n\nThese MCP servers provide instructions for using their tools:\n\n## calc\nSums.\n\n## docs\nPages.",
  );
});

test("renderServerInstructions() is undefined if no server provides instructions", () => {
  expect(renderServerInstructions([{ name: "mute" }])).toBeUndefined();
});
