// keelson agents list: the agents of a folder, what the model sees of them, and why others are not used.

import type { AgentDefinition, AgentProblem } from "@keelson/protocol";
import { UsageError } from "../../args/invocation.ts";
import { printWarning } from "../../process/process-io.ts";
import { columns, section } from "../columns.ts";
import type { Invoked } from "../group.ts";
import { oneLine, paletteFor, visible } from "../permissions/words.ts";
import { tokensOf } from "../skills/words.ts";
import { findAgents } from "./open.ts";
import { agentSourceText } from "./words.ts";

export async function listAgents(call: Invoked): Promise<number> {
  const { given, io } = call;
  if (call.words.length > 0) throw new UsageError("usage: keelson agents list [--json]");
  const { snapshot, set, view, short } = await findAgents(call);
  const { agents, offered, listing } = view;
  const { lineFor, toolsInWords } = await import("@keelson/runtime/agents");
  const isDenied = (agent: AgentDefinition) => !offered.includes(agent);
  const total = tokensOf(listing);
  if (given.has("json")) {
    const shown = {
      cwd: snapshot.cwd,
      agents: agents.map((agent) => ({ ...agent, denied: isDenied(agent), tokens: tokensOf(lineFor(agent)) })),
      problems: set.problems,
      tokens: total,
    };
    await io.write(`${JSON.stringify(shown, null, 2)}\n`);
    return 0;
  }

  const rows = offered.map((agent) => [
    visible(agent.name),
    agentSourceText(agent),
    oneLine(agent.model ?? "inherit", 30),
    oneLine(toolsInWords(agent), 30),
    oneLine(agent.description, 60),
  ]);
  const table = columns([["name", "source", "model", "tools", "description"], ...rows]);
  const palette = paletteFor(io);
  const unused = set.problems.filter(({ kind }) => kind !== "odd");
  const sections = [
    set.list().length > 0 ? [] : ["No agents of your own; to create one, run: keelson agents new <name>"],
    offered.length === 0 ? [] : [palette.dim(table[0]!), ...table.slice(1)],
    section(
      "Denied by a rule",
      agents.filter(isDenied).map((agent) => [visible(agent.name), agentSourceText(agent)]),
    ),
    section(
      "Not used",
      unused.map(({ file, why }) => [short(file), oneLine(why, 200)]),
    ),
    [
      ...untrustedLine(agents, set.problems),
      `${offered.length} ${offered.length === 1 ? "agent" : "agents"}, about ${total} tokens in every conversation`,
    ],
  ];
  await io.write(
    `${sections
      .filter((lines) => lines.length > 0)
      .map((lines) => lines.join("\n"))
      .join("\n\n")}\n`,
  );
  const odd = set.problems.length - unused.length;
  if (odd > 0)
    printWarning(io, `${odd} ${odd === 1 ? "problem" : "problems"} in agent files; run keelson agents validate`);
  for (const warning of snapshot.warnings) printWarning(io, warning);
  return 0;
}

/** Only if files ask for something that they do not get. */
function untrustedLine(agents: readonly AgentDefinition[], problems: readonly AgentProblem[]): readonly string[] {
  const bounded = agents.filter(
    ({ untrusted, file }) => untrusted && problems.some((each) => each.kind === "odd" && each.file === file),
  );
  if (bounded.length === 0) return [];
  const names = oneLine(bounded.map(({ name }) => name).join(", "), 80);
  return [`hooks, servers and wider modes have no effect in folders that are not trusted: ${names}`];
}
