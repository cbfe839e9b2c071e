// What a command prints, if that is constant: text piped into a shell is a script.

import type { CommandNode } from "unbash";
import { redirectionOf } from "../analysis/parts.ts";
import { literal, wordsOf, type Word } from "../analysis/word.ts";

/** Programs that do nothing with their words but print them. */
export function onlyPrints(program: string): boolean {
  return /^(:|basename|dirname|echo|false|printf|true)$/.test(program);
}

/** Undefined if the output is unknown. */
export function knownOutput(node: CommandNode): readonly Word[] | undefined {
  if (node.type !== "Command" || node.name === undefined || node.prefix.length > 0) return undefined;
  const texts = node.redirects.map(redirectionOf);
  if (node.name.text === "cat") {
    return node.args.length === 0 && texts.every(({ kind }) => kind === "text")
      ? texts.slice(-1).map(({ target }) => target)
      : undefined;
  }
  if (texts.length > 0) return undefined;
  const words = node.args.flatMap((argument) => wordsOf(argument.text));
  if (!words.every((word) => word.kind === "literal" || word.kind === "braces")) return undefined;
  const values = words.map((word) => word.value);
  if (node.name.text === "echo") return echoed(values);
  return node.name.text === "printf" ? formatted(values) : undefined;
}

function echoed(values: readonly string[]): readonly Word[] | undefined {
  const start = values.findIndex((value) => !/^-[neE]+$/.test(value));
  const text = (start < 0 ? [] : values.slice(start)).join(" ");
  return text.includes("\\") ? undefined : [literal(text)];
}

/** Only formats that insert their arguments unchanged. */
function formatted([format = "", ...values]: readonly string[]): readonly Word[] | undefined {
  if (!/^(?:%s|\\n|[^%\\])*$/.test(format)) return undefined;
  const line = format.replaceAll("\\n", "\n");
  const places = line.split("%s").length - 1;
  if (places === 0) return [literal(line)];
  let text = "";
  for (let at = 0; at < Math.max(values.length, 1); at += places) {
    let next = at;
    text += line.replace(/%s/g, () => values[next++] ?? "");
  }
  return [literal(text)];
}
