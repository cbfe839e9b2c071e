import { expect, test } from "bun:test";
import type { AgentDefinition, NewEntry } from "@keelson/protocol";
import { AgentListing } from "./listing.ts";

const agent = (name: string): AgentDefinition => ({
  name,
  description: name,
  source: "built-in",
  disallowedTools: [],
  skills: [],
  mcpServers: [],
  hooks: [],
});

const changes = (entry: NewEntry | undefined) => {
  if (entry?.type !== "attachment") return undefined;
  const { addedTypes, removedTypes, isInitial } = entry.attachment;
  return { addedTypes, removedTypes, isInitial };
};

const WINDOW = 200_000;

test("the model is told of agents once, and again in a conversation that does not list them", () => {
  const listing = new AgentListing([], () => "id");
  const agents = [agent("a"), agent("b")];
  const initial = { addedTypes: ["a", "b"], removedTypes: [], isInitial: true };
  expect(changes(listing.take(agents, WINDOW))).toEqual(initial);
  expect(listing.take(agents, WINDOW)).toBeUndefined();
  expect(listing.take([...agents], WINDOW)).toBeUndefined();
  expect(changes(listing.take([agents[0]!, agent("c")], WINDOW))).toEqual({
    addedTypes: ["c"],
    removedTypes: ["b"],
    isInitial: false,
  });
  expect(changes(listing.take(agents, WINDOW))).toEqual({ addedTypes: ["b"], removedTypes: ["c"], isInitial: false });

  listing.restart();
  expect(changes(listing.take(agents, WINDOW))).toEqual(initial);
});
