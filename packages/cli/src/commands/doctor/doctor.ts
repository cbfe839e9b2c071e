// keelson doctor: what is there, what is active, what is ignored and why. Exit code 1 when something is broken.

import { parseArguments } from "../../args/args.ts";
import { toFlags, UsageError } from "../../args/invocation.ts";
import { loadOptions, type ProcessIO } from "../../process-io.ts";
import { DOCTOR_FLAGS } from "../config/flags.ts";

const USAGE = `Usage: keelson doctor [options]

Checks the installation and the settings of the folder you are in. Exit code 1 when something is broken.

Options:
      --json                      Print JSON
      --settings <file-or-json>   As the program takes it
      --setting-sources <sources> As the program takes it
`;

export interface DoctorFinding {
  readonly name: string;
  /** `note`: as it is, and worth knowing. */
  readonly state: "ok" | "note" | "broken";
  readonly text: string;
  readonly details?: readonly string[];
}

export async function runDoctor(argv: readonly string[], io: ProcessIO): Promise<number> {
  const parsed = parseArguments(argv, DOCTOR_FLAGS);
  if (!parsed.ok) return fail(io, parsed.error);
  const given = parsed.arguments;
  if (given.has("help")) {
    await io.write(USAGE);
    return 0;
  }
  if (given.words.length > 0) return fail(io, "error: usage: keelson doctor [--json]");

  const { examine } = await import("./checks.ts");
  let findings: readonly DoctorFinding[];
  try {
    findings = await examine(loadOptions(io, toFlags(given, io.cwd)));
  } catch (error) {
    if (error instanceof UsageError) return fail(io, error.message);
    throw error;
  }
  const broken = findings.filter(({ state }) => state === "broken").length;
  await io.write(given.has("json") ? asJson(findings, broken) : asText(findings, broken));
  return broken === 0 ? 0 : 1;
}

const MARKS: Readonly<Record<DoctorFinding["state"], string>> = { ok: "✓", note: "·", broken: "✗" };

function asText(findings: readonly DoctorFinding[], broken: number): string {
  const width = Math.max(...findings.map(({ name }) => name.length));
  const lines = findings.flatMap(({ name, state, text, details = [] }) => [
    `${MARKS[state]} ${name.padEnd(width)}  ${clean(text)}`,
    ...details.map((detail) => `  ${" ".repeat(width)}  ${clean(detail)}`),
  ]);
  const foot = broken === 0 ? "Nothing is broken" : `${broken} ${broken === 1 ? "thing is" : "things are"} broken`;
  return `${[...lines, "", foot].join("\n")}\n`;
}

const asJson = (findings: readonly DoctorFinding[], broken: number) =>
  `${JSON.stringify({ ok: broken === 0, findings }, null, 2)}\n`;

/** Names out of files, made fit for a terminal. */
// oxlint-disable-next-line no-control-regex
const clean = (text: string) => text.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, "?");

function fail(io: ProcessIO, message: string): number {
  io.error(message);
  return 1;
}
