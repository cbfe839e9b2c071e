// keelson models: the models of the providers that are set up, with their limits and prices.

import type { ReachableModel } from "@keelson/model/choice";
import { spelling } from "../../args/args.ts";
import { toFlags, UsageError } from "../../args/invocation.ts";
import { loadOptions, printError, printWarning, type ProcessIO } from "../../process/process-io.ts";
import { columns } from "../columns.ts";
import { paletteFor, visible } from "../permissions/words.ts";
import { readSingleCommand } from "../single-command.ts";
import { MODELS_FLAGS, MODELS_OWN_FLAGS } from "./flags.ts";

const USAGE = `Usage: keelson models [provider] [options]

List the models of all providers that are set up, or of one provider: context window, maximum
output, image input, thinking, and price in dollars per million tokens. Pass a name to --model.

Options:
${MODELS_OWN_FLAGS.map((flag) => `  ${spelling(flag).padEnd(8)}${flag.help}`).join("\n")}

Examples:
  keelson models
  keelson models ollama
  keelson models --json | jq -r '.[] | "\\(.provider)/\\(.id)"'
`;

const SYNOPSIS = "usage: keelson models [provider] [--json]";
const MODELS = { name: "models", flags: MODELS_FLAGS, usage: USAGE, synopsis: SYNOPSIS, words: 1 };

export async function runModels(argv: readonly string[], io: ProcessIO): Promise<number> {
  const given = await readSingleCommand(MODELS, argv, io);
  if (typeof given === "number") return given;
  const [name] = given.words;
  const { load, ConfigError } = await import("@keelson/config");
  const { knownProvider, ModelError, reachableModels } = await import("@keelson/model/choice");
  try {
    const snapshot = load(loadOptions(io, toFlags(given, io.cwd)));
    const { modelOptions } = await import("@keelson/runtime/models");
    const options = modelOptions(snapshot);
    const only = name === undefined ? undefined : knownProvider(name, options);
    const lists = await reachableModels(only, options);
    for (const { provider, problem } of lists) {
      if (problem === undefined) continue;
      const text = `${visible(provider)}: ${visible(problem)}`;
      if (only !== undefined) return printError(io, text);
      printWarning(io, text);
    }
    const models = lists.flatMap((list) => list.models);
    await io.write(given.has("json") ? `${JSON.stringify(models, null, 2)}\n` : table(models, lists.length > 0, io));
    const isNothing = lists.length > 0 && lists.every(({ problem }) => problem !== undefined);
    return isNothing ? 1 : 0;
  } catch (error) {
    if (error instanceof UsageError || error instanceof ConfigError || error instanceof ModelError)
      return printError(io, error.message);
    throw error;
  }
}

const NOTHING = `No provider is set up. Set a variable such as ANTHROPIC_API_KEY or OPENAI_API_KEY, or run:
  keelson auth login openai
`;

function table(models: readonly ReachableModel[], hasProviders: boolean, io: ProcessIO): string {
  if (models.length === 0) return hasProviders ? "No models\n" : NOTHING;
  const rows = models.map((model) => [
    visible(`${model.provider}/${model.id}`),
    tokens(model.contextWindow),
    tokens(model.maxTokens),
    yesNo(model.images),
    yesNo(model.thinking && model.thinking !== "none"),
    price(model.price),
  ]);
  const [head, ...lines] = columns([["model", "window", "output", "images", "thinking", "$/M in, out"], ...rows]);
  return `${[paletteFor(io).dim(head!), ...lines].join("\n")}\n`;
}

const yesNo = (value: boolean | null) => (value === null ? "?" : value ? "yes" : "no");

function tokens(count: number | null): string {
  if (count === null) return "?";
  if (count >= 1_000_000) return `${Number((count / 1_000_000).toFixed(1))}M`;
  return count >= 1000 ? `${Math.round(count / 1000)}k` : String(count);
}

function price(value: ReachableModel["price"]): string {
  return value === null ? "?" : `${Number(value.input.toPrecision(4))}, ${Number(value.output.toPrecision(4))}`;
}
