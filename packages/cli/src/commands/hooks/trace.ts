// keelson hooks trace: every hook that ran in a session, with its input, output and duration.

import type { HookFiring, HookReply } from "@keelson/runtime/hooks";
import { UsageError } from "../../args/invocation.ts";
import type { OpenedHooks } from "./hooks.ts";
import { replyInWords, block, endOf, ownFields } from "./words.ts";
import { MARK, oneLine, paletteFor, shortenFrom, type Palette, type Shorten } from "../permissions/words.ts";

export async function traceHooks({ given, words, io, snapshot }: OpenedHooks): Promise<number> {
  const [wanted, ...more] = words;
  if (more.length > 0) throw new UsageError("usage: keelson hooks trace [session]; quote a name that contains spaces");
  const { findTrace, foldReplies, modelView } = await import("@keelson/runtime/hooks");
  const { configDir, cwd, env } = snapshot;
  const found = await findTrace({ configDir, cwd, dirName: env["CLAUDE_CODE_PROJECT_DIR_NAME"] }, wanted);
  if (!found.ok) throw new UsageError(found.message);

  if (given.has("json")) {
    await io.write(`{\n  "session": ${JSON.stringify(found.id)},\n  "firings": [`);
    let separator = "\n";
    for (const firing of found.firings()) {
      await io.write(`${separator}    ${JSON.stringify(firing)}`);
      separator = ",\n";
    }
    await io.write("\n  ]\n}\n");
    return 0;
  }

  const palette = paletteFor(io);
  const short = shortenFrom(cwd, snapshot.home);
  await io.write(`Session ${found.id}  ${palette.dim("(times are UTC)")}\n`);
  let total = 0;
  let took = 0;
  for (const together of grouped(found.firings())) {
    total += together.length;
    for (const { run } of together) took += run.durationMs;
    const folded = foldReplies(together.flatMap(({ reply }) => (isReply(reply) ? [reply] : [])));
    const { effects } = modelView(together[0]!.event, folded);
    await io.write(`\n${firingText(together, effects, palette, short)}\n`);
  }
  const counted = `${total} ${total === 1 ? "hook" : "hooks"} ran, ${Math.round(took)} ms in total`;
  await io.write(`\n${total === 0 ? "No hook ran" : counted}\n`);
  return 0;
}

/** Groups the hooks of one event: each line of the file is one hook. */
function* grouped(firings: Iterable<HookFiring>): Generator<readonly HookFiring[]> {
  let group: HookFiring[] = [];
  let key = "";
  for (const firing of firings) {
    const own = JSON.stringify([firing.label, firing.input]);
    if (own !== key && group.length > 0) {
      yield group;
      group = [];
    }
    key = own;
    group.push(firing);
  }
  if (group.length > 0) yield group;
}

function firingText(
  together: readonly HookFiring[],
  effects: readonly string[],
  palette: Palette,
  short: Shorten,
): string {
  const [first] = together;
  const head = `${palette.dim(timeOf(first!.at))}  ${palette.bold(oneLine(first!.label))}`;
  const rows = together.flatMap(({ name, type, run, reply, file, source }) => {
    const { text, tone } = replyInWords(isReply(reply) ? reply : {});
    const sign = tone === undefined ? "·" : palette.verdict(tone, MARK[tone]);
    const words = tone === undefined ? text : palette.verdict(tone, text);
    const place = file === undefined ? source : short(file);
    return [
      `  ${sign} ${oneLine(name, 80)}  ${words}  ${palette.dim(`${endOf(run, type)}  ${place}`)}`,
      ...[
        ...block("stdout", run.stdout, palette),
        ...block("stderr", run.stderr, palette),
        ...block("problem", run.problem ?? "", palette),
      ].map((line) => `      ${line}`),
    ];
  });
  const told = oneLine(JSON.stringify(ownFields(first!.input)) ?? "", 300);
  return [
    head,
    `  ${palette.dim("input")} ${told}`,
    ...rows,
    ...effects.map((effect) => `  ${palette.dim("→")} ${oneLine(effect, 300)}`),
  ].join("\n");
}

/** The time of day of an ISO timestamp. */
const timeOf = (at: string) => (/T(.{12})/.exec(at)?.[1] ?? at).slice(0, 12);

const isReply = (reply: unknown): reply is HookReply =>
  typeof reply === "object" && reply !== null && Array.isArray((reply as HookReply).context);
