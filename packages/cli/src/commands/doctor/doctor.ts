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
  const broken = findings.filter(({ state }) => state === "broken").length;
  await io.write(given.has("json") ? asJson(findings, broken) : asText(findings, broken));
  return broken === 0 ? 0 : 1;
}

/** What `keelson doctor` prints. */
export async function doctorText(io: ProcessIO, flags: Flags): Promise<string> {
  const { examine } = await import("./checks.ts");
  const findings = await examine(loadOptions(io, flags));
  return asText(findings, findings.filter(({ state }) => state === "broken").length);
}

const MARKS: Readonly<Record<DoctorFinding["state"], string>> = { ok: "✓", note: "·", broken: "✗" };

function asText(findings: readonly DoctorFinding[], broken: number): string {
  const width = Math.max(...findings.map(({ name }) => name.length));
  const lines = findings.flatMap(({ name, state, text, details = [] }) => [
    `${MARKS[state]} ${name.padEnd(width)}  ${printableLine(text)}`,
    ...details.map((detail) => `  ${" ".repeat(width)}  ${printableLine(detail)}`),
  ]);
  const foot = broken === 0 ? "No problems found" : `${broken} ${broken === 1 ? "problem" : "problems"} found`;
  return `${[...lines, "", foot].join("\n")}\n`;
}

const asJson = (findings: readonly DoctorFinding[], broken: number) =>
  `${JSON.stringify({ ok: broken === 0, findings }, null, 2)}\n`;
