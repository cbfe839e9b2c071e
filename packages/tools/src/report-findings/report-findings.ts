// ReportFindings: what a review found, as data. The list is in the stream and the transcript; nothing else is done with it.

import {
  array,
  defineTool,
  integer,
  item,
  object,
  oneOf,
  optional,
  string,
  type Infer,
  type Tool,
} from "@keelson/engine";
import description from "./report-findings.md" with { type: "text" };

const MOST_FINDINGS = 32;

const finding = item({
  file: string("The file, relative to the repository"),
  line: optional(integer("The line, from 1", { minimum: 1 })),
  summary: string("The defect, in one sentence"),
  short_summary: optional(string("The same in at most 60 characters, for lists")),
  failure_scenario: string("Which input or state leads to which wrong result"),
  category: optional(string("The kind of defect in lower case with hyphens, such as correctness or test-coverage")),
  verdict: optional(oneOf(["CONFIRMED", "PLAUSIBLE"], "The result of a second look, if there was one")),
  outcome: optional(oneOf(["fixed", "skipped", "no_change_needed"], "The outcome, if you report it again")),
});
const level = optional(oneOf(["low", "medium", "high", "xhigh", "max"], "How thorough the review was"));
const input = object({ level, findings: array(finding, "The most severe first", { maxItems: MOST_FINDINGS }) });

export type ReportFindingsInput = Infer<typeof input>;

export type ReportFindingsOutput = ReportFindingsInput & { readonly count: number };

export function reportFindingsTool(): Tool<ReportFindingsInput, ReportFindingsOutput> {
  return defineTool<ReportFindingsInput, ReportFindingsOutput>({
    name: "ReportFindings",
    description,
    input,
    describe: () => "",
    access: () => ({ kind: "none" }),
    run: async (reported) => ({ count: reported.findings.length, ...reported }),
    show({ count }) {
      if (count === 0) return "No findings reported.";
      return count === 1 ? "1 finding reported." : `${count} findings reported.`;
    },
  });
}
