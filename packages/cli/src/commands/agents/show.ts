// keelson agents show: what the file of an agent says, and its text as it is written.

import { agentText } from "@keelson/config/agents";
import type { AgentDefinition } from "@keelson/protocol";
import { UsageError } from "../../args/invocation.ts";
import { didYouMean } from "../../args/nearest.ts";
import { printError } from "../../process/process-io.ts";
import type { Invoked } from "../group.ts";
import { oneLine, visible, type Shorten } from "../permissions/words.ts";
import { tokensOf } from "../skills/words.ts";
import { findAgents } from "./open.ts";
import { agentSourceText } from "./words.ts";

export async function showAgent(call: Invoked): Promise<number> {
  const { given, words, io } = call;
  const [name, ...more] = words;
  if (name === undefined || more.length > 0) throw new UsageError("usage: keelson agents show <name> [--json]");
  const { set, view, short } = await findAgents(call);
  const agent = view.agents.find((each) => each.name === name);
  if (agent === undefined) {
    const names = view.agents.map((each) => each.name);
    const hint = didYouMean(name, names) || "; to list them, run: keelson agents list";
    return printError(io, `no agent "${visible(name)}"${hint}`);
  }

  const { builtInText, lineFor, toolsInWords } = await import("@keelson/runtime/agents");
  const text = agent.source === "built-in" ? builtInText(agent.name) : await agentText(agent);
  if (given.has("json")) {
    await io.write(`${JSON.stringify({ ...agent, text }, null, 2)}\n`);
    return 0;
  }
  const cost = `about ${tokensOf(lineFor(agent))} tokens in every conversation, about ${tokensOf(text)} when it runs`;
  const state = view.offered.includes(agent) ? undefined : "denied by a rule";
  const facts = factsOf(agent, { short, tools: toolsInWords(agent), cost, state });
  const problems = set.problems.filter(({ kind, file }) => kind === "odd" && file === agent.file);
  const lines = [
    visible(agent.name),
    ...facts.map(([label, value]) => `  ${label}: ${value}`),
    ...problems.map(({ line, why }) => `  ${line === undefined ? "" : `line ${line}: `}${oneLine(why, 200)}`),
    "",
    // Raw only where no terminal would act on it.
    io.terminal.stdout ? text.split("\n").map(printable).join("\n") : text,
  ];
  await io.write(`${lines.join("\n").trimEnd()}\n`);
  return 0;
}

const printable = (line: string) => line.replace(/\r$/, "").split("\t").map(visible).join("\t");

interface Shown {
  readonly short: Shorten;
  readonly tools: string;
  readonly cost: string;
  readonly state: string | undefined;
}

function factsOf(agent: AgentDefinition, { short, tools, cost, state }: Shown): readonly (readonly [string, string])[] {
  const fact = (label: string, value: string | number | undefined) =>
    value === undefined || value === "" ? [] : ([[label, oneLine(String(value), 200)]] as const);
  const list = (words: readonly string[]) => (words.length === 0 ? undefined : words.join(", "));
  const events = agent.hooks.map(({ event, matcher }) => (matcher ? `${event} ${matcher}` : event));
  const servers = agent.mcpServers.map((server) => (typeof server === "string" ? server : `${server.name} (its own)`));
  return [
    ...(agent.file === undefined ? [] : [["file", short(agent.file)] as const]),
    ...fact("source", agentSourceText(agent)),
    ...fact("description", agent.description),
    ...fact("tools", tools),
    ...fact("model", agent.model ?? "inherit"),
    ...fact("effort", agent.effort),
    ...fact("permission mode", agent.permissionMode),
    ...fact("turns", agent.maxTurns),
    ...fact("budget", agent.maxBudgetUsd === undefined ? undefined : `$${agent.maxBudgetUsd}`),
    ...fact("runs", agent.background ? "in the background" : undefined),
    ...fact("works in", agent.isolation && "its own worktree"),
    ...fact("skills", list(agent.skills)),
    ...fact("MCP servers", list(servers)),
    ...fact("hooks", list(events)),
    ...fact("memory", agent.memory),
    ...fact("first prompt", agent.initialPrompt),
    ...fact("color", agent.color),
    ...fact("trust", agent.untrusted && "the folder is not trusted"),
    ...fact("state", state),
    ...fact("cost", cost),
  ];
}
