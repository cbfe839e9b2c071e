// How `keelson mcp test` prints what it found, for people and for programs.

import { oneLine, visible } from "../../permissions/words.ts";
import type { ProtocolLog } from "./test-log.ts";
import { plainError } from "../words.ts";
import type { TestedCall, ListReport, ServerReport } from "./test.ts";

const MAX_ITEMS = 50;
const MAX_TEXT_LENGTH = 10_000;

export function reportText(report: ServerReport, log: ProtocolLog, withLog: boolean): string {
  const { name, target, connected, error, server, protocolVersion, lists, call, problems } = report;
  const who = server ? ` to ${oneLine(`${server.name} ${server.version}`)}` : "";
  const version = protocolVersion === undefined ? "" : ` (protocol ${oneLine(protocolVersion)})`;
  const parts = [
    `${visible(name)}: ${target}`,
    "",
    connected ? `✓ Connected${who}${version}` : `✗ Failed: ${oneLine(plainError(error ?? ""), 1_000)}`,
    ...lists.flatMap(listLines),
    ...(call ? callLines(call) : []),
    ...problems.map((problem) => `! ${oneLine(problem, 300)}`),
    ...(connected && !call?.isError && !withLog ? [] : stderrLines(report)),
    "",
    ...timingLines(report, log),
    ...(withLog ? ["", ...logLines(log)] : []),
  ];
  return `${parts.join("\n")}\n`;
}

export function reportJson({ connectMs, ...report }: ServerReport, log: ProtocolLog, withLog: boolean): string {
  const timings = {
    connectMs: rounded(connectMs),
    requests: log.timings.map((each) => ({ ...each, ms: rounded(each.ms) })),
  };
  const messages = log.messages.map((each) => ({ ...each, at: rounded(each.at) }));
  const call = report.call && { call: { ...report.call, ms: rounded(report.call.ms) } };
  const kept = withLog ? { log: { messages, dropped: log.dropped } } : {};
  return `${JSON.stringify({ ...report, ...call, timings, ...kept }, null, 2)}\n`;
}

function listLines({ kind, items, error }: ListReport): readonly string[] {
  if (error !== undefined) return [`✗ ${kind}: ${oneLine(error, 300)}`];
  const width = Math.min(40, Math.max(0, ...items.map(({ name }) => name.length)));
  const shown = items.slice(0, MAX_ITEMS).map(({ name, description }) => {
    const about = description === undefined ? "" : oneLine(description, 80);
    return `    ${oneLine(name, 200).padEnd(width)}  ${about}`.trimEnd();
  });
  const more = items.length > MAX_ITEMS ? [`    … and ${items.length - MAX_ITEMS} more`] : [];
  const noun = items.length === 1 ? kind.replace(/s$/, "") : kind;
  return [`✓ ${items.length} ${noun}`, ...shown, ...more];
}

function callLines({ tool, isError, text }: TestedCall): readonly string[] {
  const cut = text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH).toWellFormed()}…` : text;
  const lines = cut === "" ? [] : cut.split("\n").map((line) => `    ${visible(line)}`);
  return [`${isError ? "✗ The call failed" : "✓ Called"}: ${oneLine(tool, 200)}`, ...lines];
}

function stderrLines({ stderr }: ServerReport): readonly string[] {
  if (stderr === undefined) return [];
  const lines = stderr.split("\n");
  const omitted = lines.length > MAX_ITEMS ? ["    …"] : [];
  return ["", "Standard error:", ...omitted, ...lines.slice(-MAX_ITEMS).map((line) => `    ${oneLine(line, 300)}`)];
}

function timingLines({ connectMs }: ServerReport, { timings }: ProtocolLog): readonly string[] {
  const rows = [
    { step: "connect, with its requests", ms: connectMs, ok: true },
    ...timings.map(({ method, ms, ok }) => ({ step: oneLine(method), ms, ok })),
  ].slice(0, MAX_ITEMS);
  const width = Math.max(...rows.map(({ step }) => step.length));
  return ["Timings:", ...rows.map(({ step, ms, ok }) => `  ${step.padEnd(width)}  ${inMs(ms)}${ok ? "" : "  error"}`)];
}

function logLines({ messages, dropped }: ProtocolLog): readonly string[] {
  const lines = messages.map(
    ({ at, direction, bytes, text }) =>
      `  ${inMs(at)}  ${direction === "sent" ? "→" : "←"}  ${String(bytes).padStart(7)} B  ${visible(text)}`,
  );
  return ["Log:", ...lines, ...(dropped > 0 ? [`  … and ${dropped} more messages`] : [])];
}

const rounded = (ms: number) => Math.round(ms * 10) / 10;
const inMs = (ms: number) => `${ms.toFixed(1).padStart(8)} ms`;
