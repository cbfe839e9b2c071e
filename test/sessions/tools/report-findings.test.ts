// ReportFindings through the whole program: when it is offered, and what becomes of a list.

import { expect, test } from "bun:test";
import { runKeelson, startMockModel, temporaryHome, type ScriptedCall } from "@keelson/testkit";
import { STREAM, told, toolUseResults } from "../front-door.ts";

const finding = {
  file: "src/a.ts",
  line: 7,
  summary: "The last item is skipped",
  failure_scenario: "A list of one item gives an empty sum",
  verdict: "CONFIRMED",
};
const report = (findings: readonly object[], more: object = {}): ScriptedCall => ({
  name: "ReportFindings",
  input: { findings, ...more } as any,
});

async function play(calls: readonly ScriptedCall[], flags: readonly string[]) {
  using home = temporaryHome();
  await using model = await startMockModel([{ calls }, { text: "done" }]);
  const ended = await runKeelson(["-p", "go", ...STREAM, ...flags], { home, url: model.url });
  const offered = model.requests[0]!.body.tools.some(({ name }: any) => name === "ReportFindings");
  return {
    offered,
    shown: told(model.requests[1]!).map(({ content }: any) => content),
    results: toolUseResults(ended),
  };
}

test.each(["--tools", "--allowedTools"])(
  "named in %s, it counts what a review found, and clients get it as data",
  async (flag) => {
    const calls = [report([finding], { level: "high" }), report([]), report([finding, finding])];
    const { offered, shown, results } = await play(calls, [flag, "ReportFindings"]);
    expect(offered).toBe(true);
    expect(shown).toEqual(["1 finding reported.", "No findings reported.", "2 findings reported."]);
    expect(results).toEqual([
      { count: 1, level: "high", findings: [finding] },
      { count: 0, findings: [] },
      { count: 2, findings: [finding, finding] },
    ]);
  },
);

test("it is not offered unless something names it, and takes at most 32 findings", async () => {
  const without = await play([report([])], []);
  expect(without.offered).toBe(false);
  expect(without.shown[0]).toContain("ReportFindings exists but is not enabled in this context");
  const many = await play([report(Array.from({ length: 33 }, () => finding))], ["--tools", "ReportFindings"]);
  expect(many.shown[0]).toContain("InputValidationError");
});
