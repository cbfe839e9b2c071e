// Whether to use a server of the project's .mcp.json. Nothing of it has run yet.

import { wrap } from "../../screen/rows.ts";
import type { Panel } from "../../screen/view.ts";
import { answering, ChoicePanel } from "../../widgets/choice-panel.ts";
import { quoted } from "../../widgets/heading.ts";
import { showRow } from "../visible.ts";
import type { BeforeOptions } from "./before-options.ts";

export interface ServerToApprove {
  readonly name: string;
  /** The command line, or the address. */
  readonly starts: string;
  /** Its variables or headers, one per line. */
  readonly settings?: readonly string[];
  /** A command that prints headers for the address. */
  readonly helper?: string;
  readonly kind: "command" | "url";
  /** The file it is from. */
  readonly file: string;
  /** It was approved once and has changed since. */
  readonly changed?: boolean;
  /** Servers still to be asked about after this one. */
  readonly left?: number;
}

export type ServerAnswer = "use" | "use-all" | "skip";

export function mcpServerPanel(server: ServerToApprove, { keys, plain }: BeforeOptions): Panel<ServerAnswer> {
  const { name, starts, settings = [], helper, kind, file, changed, left = 0 } = server;
  const named = showRow(name);
  const panel = new ChoicePanel<ServerAnswer>({
    keys,
    heading: {
      title: changed ? "An MCP server of this project has changed" : "New MCP server in this project",
      style: "warning",
      plain,
      ...(left > 0 ? { aside: `${left} more` } : {}),
    },
    body: (columns, theme) => [
      ...quoted(named, columns, theme, "bold"),
      ...quoted(showRow(starts), columns, theme, "code"),
      ...settings.flatMap((line) => quoted(showRow(line), columns, theme)),
      ...wrap(
        kind === "command"
          ? "This command runs on your machine each time a session starts, with your permissions."
          : "The model's calls to its tools are sent to this address.",
        columns,
      ),
      ...(helper === undefined
        ? []
        : [
            ...quoted(showRow(helper), columns, theme, "code"),
            ...wrap("This command runs on your machine with each connection, to make its headers.", columns),
          ]),
      ...wrap(theme.paint("dim", `From ${showRow(file)}`), columns),
    ],
    question: `Use "${named}"?`,
    choices: [
      { value: "use", label: "Use it" },
      { value: "use-all", label: "Use it, and all later ones of this project" },
      { value: "skip", label: "Continue without it", takesTyping: true },
    ],
    hints: [
      { action: "confirm:yes", does: "choose" },
      { action: "confirm:no", does: "continue without it" },
    ],
  });
  return answering(panel, (result) => (result.kind === "chosen" ? result.value : "skip"));
}
