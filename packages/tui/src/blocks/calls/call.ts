// A tool call: what is called with what, and what came of it.

import { isAgentCall, isSettled, type CallItem, type ShownResult } from "@keelson/client";
import { isObject } from "@keelson/protocol";
import { cleanRow } from "../../screen/clean.ts";
import { fit, width, wrap } from "../../screen/rows.ts";
import type { StyleName } from "../../theme/theme.ts";
import { newestRows } from "../fold.ts";
import { renderAgent } from "./agent.ts";
import { counted, elapsed } from "../amounts.ts";
import { ELBOW_COLUMNS, sign, speaker, underElbow, withKey, type ItemLook } from "../look.ts";
import { resultRows } from "./results.ts";
import { titleOf } from "./titles.ts";

/** Calls that took less are not timed. */
const TIMED_MS = 2_000;
const MOST_HEAD_ROWS = 3;
/** Of what a command prints while it runs. */
const LIVE_ROWS = 5;

export function renderCall(call: CallItem, look: ItemLook): string[] {
  const columns = Math.max(1, look.columns - ELBOW_COLUMNS);
  return [...headRows(call, look), ...underElbow(bodyRows(call, columns, look), look)];
}

/** A single call that only reads: what it found is for the model, how much it was is enough for people. */
export function renderRead(call: CallItem, look: ItemLook): string[] {
  const { result } = call;
  if (!result || call.state !== "done") return renderCall(call, look);
  const found = foundBy(call.name, result);
  const rows = found === "" ? [] : [look.theme.paint("dim", fit(found, Math.max(1, look.columns - ELBOW_COLUMNS)))];
  return [...headRows(call, look), ...underElbow(rows, look)];
}

function foundBy(name: string, { output, images }: ShownResult): string {
  const fields = isObject(output) ? output : {};
  const number = (value: unknown) => (typeof value === "number" ? value : undefined);
  const file = isObject(fields["file"]) ? fields["file"] : {};
  const lines = number(file["numLines"]) ?? number(fields["numLines"]);
  if (lines !== undefined) return counted(lines, "line");
  const files = number(fields["numFiles"]);
  if (files !== undefined) return files === 0 ? "Nothing found" : counted(files, "file");
  if (images > 0) return counted(images, "image");
  return name === "Read" && typeof fields["type"] === "string" ? cleanRow(fields["type"]).replaceAll("_", " ") : "";
}

function bodyRows(call: CallItem, columns: number, look: ItemLook): string[] {
  const { theme } = look;
  if (isAgentCall(call.name) && !call.inBackground && !wasRefused(call)) return renderAgent(call, columns, look);
  if (call.result) return resultRows(call, call.result, columns, look);
  if (call.state === "interrupted") return [theme.paint("warning", "Interrupted")];
  if (call.state === "pending") {
    const size = call.written < 2_000 ? "" : `, ${Math.round(call.written / 1000)} KB`;
    return [theme.paint("dim", `Being written${size}…`)];
  }
  if (call.state === "waiting") return [theme.paint("dim", fit("Waiting for your answer", columns))];
  const background = call.label.kind === "execute" && call.taskId !== undefined && !call.inBackground;
  const key = background ? withKey(look, "task:background", (name) => ` (${name} to move to the background)`) : "";
  const { printed } = call;
  const lines = printed ? ` · ${counted(printed.lines, "line")}` : "";
  return [
    ...(printed ? newestRows(printed.text, columns, LIVE_ROWS) : []),
    theme.paint("dim", fit(`Running… ${elapsed(look.now - call.startedMs)}${lines}${key}`, columns)),
  ];
}

/** What is said of it then is for the model. */
const wasRefused = ({ state, denied, instead }: CallItem) =>
  state === "denied" || state === "interrupted" || denied !== undefined || instead !== undefined;

function headRows(call: CallItem, look: ItemLook): string[] {
  const { theme } = look;
  const title = titleOf(call, look);
  const columns = Math.max(1, look.columns - 2);
  // The question below has all of a command.
  const isAsked = call.state === "waiting" && call.label.kind === "execute" && !look.whole;
  const isNamed = title.about !== "" && !isAsked;
  const about = isNamed ? `(${look.whole ? title.about : shortened(title.about, columns)})` : "";
  const rows = wrap(`${theme.paint("bold", title.name)}${about}`, columns);
  const shown = look.whole || rows.length <= MOST_HEAD_ROWS ? rows : rows.slice(0, MOST_HEAD_ROWS);
  const aside = [title.note, took(call)].filter((part) => part !== undefined).join(" · ");
  const last = shown.length - 1;
  const room = columns - width(shown[last]!) - 2;
  if (aside !== "" && room >= Math.min(width(aside), 12)) shown[last] += `  ${theme.paint("dim", fit(aside, room))}`;
  const bullet = speaker("tool", theme.paint(styleOf(call), sign("bullet", theme)), look);
  return shown.map((row, index) => (index === 0 ? `${bullet} ${row}` : `  ${row}`));
}

/** So that it takes at most three rows with the name. */
function shortened(about: string, columns: number): string {
  return fit(about, Math.max(8, columns * MOST_HEAD_ROWS - 30));
}

const took = ({ name, durationMs, result }: CallItem) =>
  result && !isAgentCall(name) && durationMs !== undefined && durationMs >= TIMED_MS ? elapsed(durationMs) : undefined;

function styleOf(call: CallItem): StyleName {
  if (!isSettled(call) || !call.result) return "dim";
  if (call.denied !== undefined) return "warning";
  return call.result.isError ? "error" : "success";
}
