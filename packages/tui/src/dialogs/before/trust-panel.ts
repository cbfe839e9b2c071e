// Whether to trust a folder. "No" comes first and is marked: Enter alone never trusts.

import { wrap } from "../../screen/rows.ts";
import type { Panel } from "../../screen/view.ts";
import { answering, ChoicePanel } from "../../widgets/choice-panel.ts";
import { quoted } from "../../widgets/heading.ts";
import { showRow } from "../visible.ts";
import type { BeforeOptions } from "./before-options.ts";

/** What will apply once the folder is trusted. */
export interface TrustFacts {
  readonly folder: string;
  /** Commands that run without approval. */
  readonly hooks: number;
  readonly allowRules: readonly string[];
  /** Names of environment variables. */
  readonly env: readonly string[];
  readonly mcpServers: readonly string[];
  /** Other settings that run a command, by name: `statusLine`, `apiKeyHelper`. */
  readonly commands: readonly string[];
}

export function trustPanel(facts: TrustFacts, { keys, plain }: BeforeOptions): Panel<"trust" | "leave"> {
  const applies = appliesOf(facts);
  const panel = new ChoicePanel<"trust" | "leave">({
    keys,
    heading: { title: "Do you trust this folder?", style: "warning", plain },
    body: (columns, theme) => [
      ...quoted(showRow(facts.folder), columns, theme, "bold"),
      "",
      ...wrap("Keelson reads the files in it and, with your approval, edits them and runs commands.", columns),
      ...(applies.length === 0
        ? wrap("The folder has no settings of its own that run anything.", columns)
        : wrap("If you trust it, its own settings apply:", columns)),
      ...applies.flatMap((text) =>
        wrap(text, columns - 4).map((row, at) => (at === 0 ? `  ${theme.ascii ? "-" : "•"} ${row}` : `    ${row}`)),
      ),
      ...wrap(theme.paint("dim", "Trust it only if you know where its files come from."), columns),
    ],
    choices: [
      { value: "leave", label: "No, leave", takesTyping: true },
      { value: "trust", label: "Yes, I trust this folder" },
    ],
    hints: [
      { action: "confirm:yes", does: "choose" },
      { action: "confirm:no", does: "leave" },
    ],
  });
  return answering(panel, (result) => (result.kind === "chosen" ? result.value : "leave"));
}

/** What the files of a trusted folder grant that nobody was asked about. */
export interface ChangedFacts {
  readonly folder: string;
  /** The folder is only inside a trusted one. */
  readonly inherited: boolean;
  readonly files: readonly { readonly file: string; readonly names: readonly string[] }[];
}

/** Whether what changed in a trusted folder applies. Enter alone accepts nothing. */
export function changedPanel(
  { folder, inherited, files }: ChangedFacts,
  { keys, plain }: BeforeOptions,
): Panel<"accept" | "without" | "leave"> {
  const title = inherited ? "This folder has settings of its own" : "Settings changed since you trusted this folder";
  const why = inherited
    ? "It is inside a folder that you trust, but you have not been asked about these:"
    : "An editor, git or another program changed them:";
  const panel = new ChoicePanel<"accept" | "without" | "leave">({
    keys,
    heading: { title, style: "warning", plain },
    body: (columns, theme) => [
      ...quoted(showRow(folder), columns, theme, "bold"),
      "",
      ...wrap(why, columns),
      ...files.flatMap(({ file, names }) => {
        const text = `${showRow(file)}: ${shortList(names.map(showRow))}`;
        return wrap(text, columns - 4).map((row, at) =>
          at === 0 ? `  ${theme.ascii ? "-" : "•"} ${row}` : `    ${row}`,
        );
      }),
      ...wrap(theme.paint("dim", "Accept them only if you know who made them."), columns),
    ],
    choices: [
      { value: "without", label: "Continue without them", takesTyping: true },
      { value: "accept", label: "Accept them as they are now" },
    ],
    hints: [
      { action: "confirm:yes", does: "choose" },
      { action: "confirm:no", does: "leave" },
    ],
  });
  return answering(panel, (result) => (result.kind === "chosen" ? result.value : "leave"));
}

function appliesOf({ hooks, allowRules, env, mcpServers, commands }: TrustFacts): readonly string[] {
  const listed = (what: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`${what}: ${shortList(names.map(showRow))}`];
  return [
    ...(hooks === 0
      ? []
      : [hooks === 1 ? "1 hook that runs without approval" : `${hooks} hooks that run without approval`]),
    ...listed("Commands", commands),
    ...listed("Allow rules", allowRules),
    ...listed("MCP servers (each needs approval)", mcpServers),
    ...listed("Environment variables", env),
  ];
}

const MOST = 8;

function shortList(names: readonly string[]): string {
  const more = names.length - MOST;
  return more > 0 ? `${names.slice(0, MOST).join(", ")} and ${more} more` : names.join(", ");
}
