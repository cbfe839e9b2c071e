// keelson permissions explain: the verdict on one call, its parts, and what decided each.

import type { Explanation } from "@keelson/runtime/explain";
import { UsageError } from "../../args/invocation.ts";
import { didYouMean } from "../../args/nearest.ts";
import { printWarning } from "../../process/process-io.ts";
import { parseCall, type WrittenCall } from "./call.ts";
import { explanationText } from "./text.ts";
import type { OpenedPermissions } from "./permissions.ts";
import { paletteFor, shortenFrom } from "./words.ts";

const EXIT_CODES: Readonly<Record<Explanation["verdict"], number>> = { allow: 0, ask: 1, deny: 2 };

export async function explainCall({ given, words, io, snapshot, explainer, mode }: OpenedPermissions): Promise<number> {
  const call = callOf(given, words.join(" "), explainer.tools);
  if (!explainer.tools.includes(call.tool) && !call.tool.startsWith("mcp__")) {
    throw new UsageError(unknownTool(call.tool, explainer.tools));
  }
  const explained = await explainer.explain({ ...call, ...(mode === undefined ? {} : { mode }) });
  if (!explained.ok) throw new UsageError(`invalid input: ${explained.message}`);
  const { explanation } = explained;
  const { warnings } = snapshot;
  if (given.has("json")) {
    await io.write(`${JSON.stringify({ ...explanation, input: call.input, warnings }, null, 2)}\n`);
  } else {
    for (const warning of warnings) printWarning(io, warning);
    const short = shortenFrom(snapshot.cwd, snapshot.home);
    const local = snapshot.rules.filter(({ source, behavior }) => source === "localSettings" && behavior === "allow");
    const style = { palette: paletteFor(io), short, local: local.map(({ text }) => text) };
    await io.write(explanationText(explanation, call.input, style));
  }
  return given.has("exit-code") ? EXIT_CODES[explanation.verdict] : 0;
}

function callOf(given: OpenedPermissions["given"], text: string, tools: readonly string[]): WrittenCall {
  const command = given.text("command");
  if (command !== undefined) {
    if (text !== "") throw new UsageError("a call and --command cannot be used together");
    return { tool: "Bash", input: { command } };
  }
  if (text === "") {
    const { swallowed } = given;
    const why = swallowed ? `; --${swallowed.flag} took "${swallowed.word}" as a value, so put the call before it` : "";
    throw new UsageError(`usage: keelson permissions explain 'Bash(git push)'${why}`);
  }
  const parsed = parseCall(text);
  if (parsed.ok) return parsed.call;
  const name = /^([A-Za-z]\w*)\(/.exec(text)?.[1];
  if (name !== undefined && !name.startsWith("mcp__") && !tools.includes(name)) {
    throw new UsageError(unknownTool(name, tools));
  }
  const bare = /[({]/.test(text) ? "" : ", or use --command for a shell command";
  throw new UsageError(`${parsed.message}${bare}`);
}

const unknownTool = (tool: string, tools: readonly string[]) =>
  `unknown tool "${tool}"${didYouMean(tool, tools) || `; tools are ${tools.join(", ")}`}`;
