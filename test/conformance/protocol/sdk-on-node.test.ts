// Every row that the SDK can express, on Node.

import { afterAll, expect, test } from "bun:test";
import { casesOn, checkAll } from "./check.ts";
import { startOnNode } from "./clients/on-node.ts";
import { SCENARIOS } from "./table.ts";

const rows = SCENARIOS.filter((scenario) => casesOn("sdk", scenario).length > 0);
const node = await startOnNode(rows);
afterAll(() => node[Symbol.asyncDispose]());

test("the Node it runs on is as old as is promised, or newer", () => {
  expect(Number(/^v(\d+)/.exec(node.version)?.[1])).toBeGreaterThanOrEqual(20);
});

checkAll(node, rows);
