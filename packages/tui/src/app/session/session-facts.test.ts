import { expect, test } from "bun:test";
import { SessionFacts } from "./session-facts.ts";

test("a session tells its commands, agents, model and context", () => {
  const facts = new SessionFacts();
  // Panels open only for commands that no skill replaced.
  const commands = [{ name: "config", description: "d", argumentHint: "", builtin: true }];
  const agents = [{ name: "Explore", description: "Finds things" }];
  facts.initialized({ commands, agents, output_style: "brief", session_state: "idle" } as never, 3);
  facts.informed({ model: { id: "m-1", display_name: "M" }, context_window: 200_000 } as never);
  expect(facts).toMatchObject({
    commands,
    agents,
    outputStyle: "brief",
    model: "m-1",
    modelName: "M",
    contextWindow: 200_000,
    workingSince: undefined,
  });
  facts.initialized({ commands, agents, output_style: "brief", session_state: "running" } as never, 4);
  expect(facts.workingSince).toBe(4);
});

const said = (uuid: string, content: string, more: object = {}) =>
  ({
    type: "user",
    uuid,
    message: { role: "user", content },
    parent_tool_use_id: null,
    session_id: "s",
    ...more,
  }) as never;
const system = (fields: object) => ({ type: "system", ...fields }) as never;

test("a session is named by its title, or by its first prompt that is no command", () => {
  const facts = new SessionFacts();
  expect(facts.name).toBe("");
  facts.take(said("1", "<command-name>/context</command-name>"), 0);
  facts.take(said("2", "fix the parser\nplease"), 0);
  facts.take(said("3", "thanks"), 0);
  expect(facts.name).toBe("fix the parser");
  facts.take(system({ subtype: "session_title_changed", title: "Parser" }), 0);
  expect(facts.name).toBe("Parser");
  facts.take({ type: "conversation_reset" } as never, 0);
  expect(facts.name).toBe("");
});

test("a compaction marks the prompts that it summarized, and its summary is no prompt", () => {
  const facts = new SessionFacts();
  for (const id of ["1", "2", "3"]) facts.take(said(id, `prompt ${id}`), 0);
  const preserved = { uuids: ["2", "x", "3"] };
  facts.take(system({ subtype: "compact_boundary", compact_metadata: { preserved_messages: preserved } }), 0);
  facts.take(said("s", "what was said", { isSynthetic: true }), 0);
  expect(facts.prompts).toEqual([
    { id: "1", text: "prompt 1", sentMs: 0, isSummarized: true },
    { id: "2", text: "prompt 2", sentMs: 0 },
    { id: "3", text: "prompt 3", sentMs: 0 },
  ]);
  facts.rewound("3");
  expect(facts.prompts.map(({ id, isSummarized }) => [id, isSummarized])).toEqual([
    ["1", undefined],
    ["2", undefined],
  ]);
});

test("a compaction between prompts is work that ends with it; one within a run does not end the run", () => {
  const facts = new SessionFacts();
  const status = (value: string | null) => system({ subtype: "status", status: value });
  facts.take(status("compacting"), 5);
  expect(facts.workingSince).toBe(5);
  facts.take(status(null), 9);
  expect(facts.workingSince).toBeUndefined();
  facts.take({ type: "command_lifecycle", state: "started" } as never, 10);
  facts.take(status("compacting"), 11);
  facts.take(status(null), 12);
  expect(facts.workingSince).toBe(10);
});
