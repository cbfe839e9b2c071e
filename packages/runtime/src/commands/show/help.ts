// /help: every command of the session with its description.

import { commandSummary } from "@keelson/protocol/command-summary";
import { expectNoArguments, type RunCommand } from "../command.ts";

export const helpCommand: RunCommand = (args, { commands }) => {
  expectNoArguments("help", args);
  const rows = commands()
    .map(({ name, argumentHint, description, aliases }) => ({
      typed: `/${name}${argumentHint === "" ? "" : ` ${argumentHint}`}`,
      means: `${commandSummary(description)}${aliases ? ` (also ${aliases.map((alias) => `/${alias}`).join(", ")})` : ""}`,
    }))
    .sort((a, b) => (a.typed < b.typed ? -1 : 1));
  const width = Math.max(...rows.map(({ typed }) => typed.length));
  return ["Commands:", ...rows.map(({ typed, means }) => `  ${typed.padEnd(width)}  ${means}`.trimEnd())].join("\n");
};
