// Notices, printed output, and the line where a conversation was compacted.

import type { NoteItem, OutputItem, Retry } from "@keelson/client";
import { renderMarkdown } from "../markdown/render-markdown.ts";
import { clean, cleanRow } from "../screen/clean.ts";
import { fit, width } from "../screen/rows.ts";
import type { BoundaryItem } from "../stream/item.ts";

import { folded, lineRows, moreRow } from "./fold.ts";
import { behindSign, ELBOW_COLUMNS, sign, speaker, underElbow, type ItemLook } from "./look.ts";

const MOST_NOTE_ROWS = 12;

export function renderNote({ level, text }: NoteItem, look: ItemLook): string[] {
  const { theme, columns } = look;
  const shown = clean(text).trimEnd();
  if (level === "quiet")
    return behindSign(
      speaker("note", theme.paint("dim", sign("spark", theme)), look),
      theme.paint("dim", shown),
      columns,
    );
  const rows = lineRows(shown, Math.max(1, columns - 2));
  const hidden = look.whole || rows.length <= MOST_NOTE_ROWS + 1 ? 0 : rows.length - MOST_NOTE_ROWS;
  const kept = hidden === 0 ? rows : rows.slice(0, MOST_NOTE_ROWS);
  const drawn = level === "info" ? theme.paint("dim", sign("spark", theme)) : MARKS[level](theme);
  const mark = speaker(level === "info" ? "note" : level, drawn, look);
  const painted = kept.map((row) => (level === "info" ? row : theme.paint(level, row)));
  if (hidden > 0) painted.push(moreRow(hidden, columns - 2, look, "row"));
  return painted.map((row, index) => (index === 0 ? `${mark} ${row}` : `  ${row}`));
}

const MARKS = {
  warning: (theme: ItemLook["theme"]) => theme.paint("warning", sign("warning", theme)),
  error: (theme: ItemLook["theme"]) => theme.paint("error", sign("cross", theme)),
};

const MOST_OUTPUT_ROWS = 60;

export function renderOutput({ text, as, isError }: OutputItem, look: ItemLook): string[] {
  const { theme } = look;
  const columns = Math.max(1, look.columns - ELBOW_COLUMNS);
  if (isError) {
    return underElbow(
      folded(text, columns, look, 10).map((row) => theme.paint("error", row)),
      look,
    );
  }
  if (as === "plain") return underElbow(folded(text, columns, look, 10), look);
  const rows = renderMarkdown(text, columns, theme);
  const hidden = look.whole || rows.length <= MOST_OUTPUT_ROWS + 1 ? 0 : rows.length - MOST_OUTPUT_ROWS;
  return underElbow(
    hidden === 0 ? rows : [...rows.slice(0, MOST_OUTPUT_ROWS), moreRow(hidden, columns - 2, look, "row")],
    look,
  );
}

export function renderBoundary({ label }: BoundaryItem, look: ItemLook): string[] {
  const { theme, columns, spoken } = look;
  if (spoken) return lineRows(`${speaker("note", "", look)} ${cleanRow(label)}`, columns);
  const text = fit(cleanRow(label), Math.max(1, columns - 6));
  const line = sign("line", theme);
  const rest = Math.max(0, columns - width(text) - 5);
  return [theme.paint("dim", `${line.repeat(3)} ${text} ${line.repeat(rest)}`)];
}

/** One row, with the seconds that are left. */
export function renderRetry({ attempt, most, atMs, status, error }: Retry, { theme, columns, now }: ItemLook): string {
  const seconds = Math.max(0, Math.ceil((atMs - now) / 1000));
  const when = seconds === 0 ? "trying again now" : `trying again in ${seconds}s`;
  const why =
    REASONS[String(status ?? error)] ??
    REASONS[error] ??
    (status === null ? "The connection failed" : `The request failed (${status})`);
  return theme.paint("warning", fit(`${sign("clock", theme)} ${why}, ${when} (${attempt} of ${most})`, columns));
}

const REASONS: Readonly<Record<string, string>> = {
  "529": "The server is overloaded",
  overloaded: "The server is overloaded",
  "429": "The rate limit was reached",
  rate_limit: "The rate limit was reached",
  "401": "The server did not accept the key",
  authentication_failed: "The server did not accept the key",
  "500": "The server failed",
  "502": "The server failed",
  "503": "The server is not available",
  server_error: "The server failed",
  connection: "The server cannot be reached",
  timeout: "The server did not answer in time",
};
