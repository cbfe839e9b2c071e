// Transcripts whose first lines are lost, and those with results between the blocks of a reply: the resumed session
// sends a conversation the API takes, with everything that is left.

import { expect, test } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import {
  messageProblems,
  runKeelson,
  startMockModel,
  temporaryHome,
  transcriptFiles,
  type TemporaryHome,
} from "@keelson/testkit";

const ID = "11111111-2222-4333-8444-555555555555";
// Without agents, so that the first line of a conversation is the prompt or the list of skills.
const STREAM = ["-p", "--output-format", "stream-json", "--verbose", "--disallowedTools", "Agent"];
const read = (name: string) => ({ name: "Read", input: { file_path: `${name}.txt` } });

/**
 * A session with a text, parallel calls, a thought and an end; the lines of its transcript. The second reply follows the
 * last result of the first: recorded again if that is not the second call's, because only then it leads to both calls.
 */
async function recorded(home: TemporaryHome): Promise<{ path: string; lines: readonly string[] }> {
  home.write("CLAUDE.md", "Instructions of the project");
  // The list of skills would be the first line.
  home.settings({ disableBundledSkills: true });
  for (const name of ["a", "b", "c"]) home.write(`${name}.txt`, `content of ${name}\n`);
  for (;;) {
    const { path, lines } = await record(home);
    const [first, second] = ["call_1_1", "call_1_2"].map((id) =>
      lines.findIndex((line) => line.includes(`"tool_use_id":"${id}"`)),
    );
    if (first! < second!) return { path, lines };
    rmSync(path);
  }
}

async function record(home: TemporaryHome): Promise<{ path: string; lines: readonly string[] }> {
  await using model = await startMockModel([
    { text: "First", calls: [read("a"), read("b")] },
    { thinking: "Hm", calls: [read("c")] },
    { text: "Third" },
  ]);
  const { code } = await runKeelson([...STREAM, "--session-id", ID, "Look around"], { home, url: model.url });
  expect(code).toBe(0);
  const path = transcriptFiles(home)[0]!;
  return { path, lines: readFileSync(path, "utf8").trimEnd().split("\n") };
}

/** What the model is asked when the session continues. */
async function resumed(home: TemporaryHome): Promise<readonly any[]> {
  await using model = await startMockModel([{ text: "Still here" }]);
  const { code, stderr } = await runKeelson([...STREAM, "--resume", ID, "Go on"], { home, url: model.url });
  // What was lost with a part of a line is said.
  expect([code, stderr.replace(/^warning: \d+ damaged lines? of the transcript could not be read, .*\n/, "")]).toEqual([
    0,
    "",
  ]);
  return model.requests[0]!.body.messages;
}

test("whatever number of first lines is lost, and however, the conversation is well formed and keeps the rest", async () => {
  using home = temporaryHome();
  const { path, lines } = await recorded(home);
  const chain = lines.filter((line) => line.includes('"parentUuid"'));
  const LOST: Readonly<Record<string, (line: string) => string[]>> = {
    gone: () => [],
    zeros: (line) => ["\0".repeat(line.length)],
    torn: (line) => [line.slice(line.length / 2)],
  };
  for (const [how, lose] of Object.entries(LOST)) {
    for (const count of [1, 2, 3, 4, 6]) {
      const lost = new Set(chain.slice(0, count));
      writeFileSync(path, `${lines.flatMap((line) => (lost.has(line) ? lose(line) : [line])).join("\n")}\n`);

      const messages = await resumed(home);

      const said = JSON.stringify(messages);
      expect({ how, count, problems: messageProblems(messages) }).toEqual({ how, count, problems: [] });
      expect(said.split("Instructions of the project")).toHaveLength(2);
      expect(said).toContain("Third");
      expect(said.includes("Look around")).toBe(false);
      // A result whose call is lost has nothing to answer.
      const calls = chain.slice(count).flatMap((line) => /"type":"tool_use","id":"([^"]+)"/.exec(line)?.[1] ?? []);
      for (const id of calls) expect(said).toContain(`"tool_use_id":"${id}"`);
    }
  }
});

test("results recorded between the blocks of a reply make one reply and one message of results", async () => {
  using home = temporaryHome();
  const { path, lines } = await recorded(home);
  const before = await resumed(home);
  const entries = lines.map((line) => JSON.parse(line));
  const at = (predicate: (entry: any) => boolean) => entries.findIndex(predicate);
  const second = at(({ message }) => message?.content?.[0]?.id === "call_1_2");
  const result = at(({ message }) => message?.content?.[0]?.tool_use_id === "call_1_1");
  // As a program records it that starts calls early: call, its result, the next call on top of that, its result.
  const [early] = entries.splice(result, 1);
  entries.splice(second, 0, early);
  entries[second + 1].parentUuid = early.uuid;
  const first = at(({ message }) => message?.content?.[0]?.id === "call_1_1");
  entries[first].message.stop_reason = null;
  writeFileSync(path, `${entries.map((entry) => JSON.stringify(entry)).join("\n")}\n`);

  const messages = await resumed(home);

  expect(messageProblems(messages)).toEqual([]);
  const shape = (all: readonly any[]) =>
    all.slice(0, 4).map(({ role, content }) => [role, content.map((block: any) => block.type)]);
  expect(shape(messages)).toEqual(shape(before));
  expect(shape(messages)).toEqual([
    ["user", ["text", "text"]],
    ["assistant", ["text", "tool_use", "tool_use"]],
    ["user", ["tool_result", "tool_result"]],
    ["assistant", ["thinking", "tool_use"]],
  ]);
});
