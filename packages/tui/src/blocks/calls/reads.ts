// A run of calls that only read, as one line.

import type { CallItem } from "@keelson/client";
import { fit } from "../../screen/rows.ts";
import { isDone, type ReadsItem } from "../../stream/item.ts";
import { counted } from "../amounts.ts";
import { renderCall, renderRead } from "./call.ts";
import { folded } from "../fold.ts";
import { ELBOW_COLUMNS, sign, speaker, underElbow, type ItemLook } from "../look.ts";
import { renderThinking } from "../thinking.ts";
import { titleOf } from "./titles.ts";

const MOST_FAILURES = 3;

export function renderReads(item: ReadsItem, look: ItemLook): string[] {
  if (look.whole) {
    return [
      ...item.thoughts.flatMap((each) => renderThinking(each, look)),
      ...item.calls.flatMap((each) => renderCall(each, look)),
    ];
  }
  const [only] = item.calls;
  if (only && item.calls.length === 1) return renderRead(only, look);
  const { theme, columns } = look;
  const running = item.calls.filter((call) => !isDone(call));
  const failed = item.calls.filter(({ result }) => result?.isError);
  const style = running.length > 0 ? "dim" : failed.length > 0 ? "error" : "success";
  const bullet = speaker("tool", theme.paint(style, sign("bullet", theme)), look);
  const head = `${bullet} ${fit(summary(item.calls, running.length > 0), Math.max(1, columns - 2))}`;
  const inside = Math.max(1, columns - ELBOW_COLUMNS);
  const rows = failed.slice(0, MOST_FAILURES).flatMap((call) => {
    const title = titleOf(call);
    return folded(`${title.about}: ${call.result!.text}`, inside, look, 1).map((row) => theme.paint("error", row));
  });
  if (failed.length > MOST_FAILURES) {
    rows.push(theme.paint("error", `… ${failed.length - MOST_FAILURES} more failed`));
  }
  const now = running.at(-1);
  if (now && now.state !== "pending") rows.push(theme.paint("dim", fit(titleOf(now).about, inside)));
  return [head, ...underElbow(rows, look)];
}

/** `Read 4 files, searched for 2 patterns`. */
function summary(calls: readonly CallItem[], running: boolean): string {
  const files = new Set<string>();
  let searches = 0;
  let finds = 0;
  for (const { name, input, id } of calls) {
    if (name === "Grep") searches += 1;
    else if (name === "Glob") finds += 1;
    else files.add(String(input["file_path"] ?? input["path"] ?? input["notebook_path"] ?? id));
  }
  const parts = [
    ...(files.size > 0 ? [`${running ? "Reading" : "Read"} ${counted(files.size, "file")}`] : []),
    ...(searches > 0 ? [`${running ? "searching" : "searched"} for ${counted(searches, "pattern")}`] : []),
    ...(finds > 0 ? [`${running ? "listing" : "listed"} files ${finds === 1 ? "once" : `${finds} times`}`] : []),
  ].join(", ");
  return parts[0]!.toUpperCase() + parts.slice(1) + (running ? "…" : "");
}
