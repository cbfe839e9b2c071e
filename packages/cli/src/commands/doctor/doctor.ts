// keelson doctor: checks the installation and the settings. Exits with 1 when something is broken.

import { printableLine } from "@keelson/protocol";
import type { Flags } from "@keelson/config";
import { toFlags, UsageError } from "../../args/invocation.ts";
import { loadOptions, printError, type ProcessIO } from "../../process/process-io.ts";
import { readSingleCommand } from "../single-command.ts";
import { DOCTOR_FLAGS } from "../config/flags.ts";

const USAGE = `Usage: keelson doctor [options]

Check the installation and the settings of this folder. Exits with 1 when something is broken.

Options:
  --json  Print JSON

Also (see keelson --help): --settings, --setting-sources
`;

export interface DoctorFinding {
  readonly name: string;
  /** `note`: works, but worth knowing. */
  readonly state: "ok" | "note" | "broken";
  readonly text: string;
  readonly details?: readonly string[];
  /** Those of the details that are problems, if each detail is a finding of its own; the others are notes. */
  readonly problems?: readonly string[];
}

const DOCTOR = {
  name: "doctor",
  flags: DOCTOR_FLAGS,
  usage: USAGE,
  synopsis: "usage: keelson doctor [--json]",
  words: 0,
};

export async function runDoctor(argv: readonly string[], io: ProcessIO): Promise<number> {
  const given = await readSingleCommand(DOCTOR, argv, io);
  if (typeof given === "number") return given;

  const { examine } = await import("./checks.ts");
  let findings: readonly DoctorFinding[];
  try {
    findings = await examine(loadOptions(io, toFlags(given, io.cwd)));
  } catch (error) {
    if (error instanceof UsageError) return printError(io, error.message);
    throw error;
  }
  const ok = findings.every(({ state }) => state !== "broken");
  await io.write(given.has("json") ? asJson(findings, ok) : asText(findings));
  return ok ? 0 : 1;
}

/** What `keelson doctor` prints. */
export async function doctorText(io: ProcessIO, flags: Flags): Promise<string> {
  const { examine } = await import("./checks.ts");
  return asText(await examine(loadOptions(io, flags)));
}

const MARKS: Readonly<Record<DoctorFinding["state"], string>> = { ok: "✓", note: "·", broken: "✗" };

function asText(findings: readonly DoctorFinding[]): string {
  const rows = findings.flatMap(rowsOf);
  const width = Math.max(...rows.map(({ name }) => name.length));
  const lines = rows.flatMap(({ name, state, text, details = [] }) => [
    `${MARKS[state]} ${name.padEnd(width)}  ${printableLine(text)}`,
    ...details.map((detail) => `  ${" ".repeat(width)}  ${printableLine(detail)}`),
  ]);
  const count = (wanted: DoctorFinding["state"]) => rows.filter(({ state }) => state === wanted).length;
  return `${[...lines, "", summary(count("broken"), count("note"))].join("\n")}\n`;
}

/** One for each mark, so that the summary counts what is there to read. */
function rowsOf({ details = [], problems, ...finding }: DoctorFinding): readonly DoctorFinding[] {
  if (problems === undefined) return [{ ...finding, details }];
  const { name } = finding;
  const own = details.map((text): DoctorFinding => ({
    name,
    state: problems.includes(text) ? "broken" : "note",
    text,
  }));
  return [{ ...finding, state: "ok" }, ...own];
}

/** As many problems as lines with ✗, as many notes as lines with ·. */
function summary(broken: number, notes: number): string {
  const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;
  const problems = `${broken === 0 ? "No problems" : counted(broken, "problem")} found`;
  return notes === 0 ? problems : `${problems}, ${counted(notes, "note")}`;
}

const asJson = (findings: readonly DoctorFinding[], ok: boolean) =>
  `${JSON.stringify({ ok, findings: findings.map(({ problems: _, ...finding }) => finding) }, null, 2)}\n`;
