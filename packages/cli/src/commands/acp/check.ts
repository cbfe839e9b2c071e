// keelson acp --check: what an editor would get in this folder.

import { printableLine } from "@keelson/protocol";
import { checkEditor, type EditorCheck, type EditorHost, type EditorStreams } from "@keelson/acp";
import { printError, type ProcessIO } from "../../process/process-io.ts";
import { columns } from "../columns.ts";

const TRUST = {
  yes: "trusted",
  partly: "trusted, except for what you have not been asked about",
  no: "not trusted",
};

export interface CheckCall {
  readonly io: ProcessIO;
  readonly host: EditorHost;
  /** Whether the folder is trusted; partly: except for what the user has not been asked about. */
  readonly trust: keyof typeof TRUST;
  readonly through: (streams: EditorStreams) => EditorStreams;
}

export async function runCheck({ io, host, trust, through }: CheckCall): Promise<number> {
  const wait = (ms: number) => io.wait(ms, new AbortController().signal);
  let check: EditorCheck;
  try {
    check = await checkEditor(host, { cwd: io.cwd, through, wait });
  } catch (error) {
    return printError(io, `An editor cannot open a session here: ${(error as Error).message}`);
  }
  await io.write(checkText(check, { folder: io.cwd, trust, version: host.version }));
  return 0;
}

interface CheckedPlace {
  readonly folder: string;
  readonly trust: keyof typeof TRUST;
  readonly version: string;
}

function checkText(check: EditorCheck, { folder, trust, version }: CheckedPlace): string {
  const { agent, session, servers, updates, hasModel } = check;
  const select = (id: string) => {
    const option = session.configOptions.find((each) => each.id === id);
    if (option?.type !== "select") return [];
    return option.options.map(({ value }) => (value === option.currentValue ? `${value} (chosen)` : value));
  };
  const commands = updates.flatMap((update) =>
    update.sessionUpdate === "available_commands_update" ? update.availableCommands.map(({ name }) => `/${name}`) : [],
  );
  const notices = updates.flatMap((update) =>
    update.sessionUpdate === "notice" ? [[update.title, update.description].filter(Boolean).join(" ")] : [],
  );
  const rows: (readonly [string, readonly string[]])[] = [
    ["Keelson", [version]],
    ["Protocol", [`Agent Client Protocol ${agent.protocolVersion}`]],
    ["Capabilities", capabilities(agent.agentCapabilities)],
    [
      "Key",
      [hasModel ? "there is one, or a model that needs none" : "none: a prompt is refused, with the ways to sign in"],
    ],
    ["Signing in", agent.authMethods.map(({ name, description }) => `${name}${description ? `: ${description}` : ""}`)],
    ["Modes", select("mode")],
    ["Models", select("model")],
    ["Effort", select("effort")],
    ["Commands", commands],
    ["MCP servers", servers.map(({ name, status, error }) => `${name}: ${status}${error ? ` (${error})` : ""}`)],
    ["Folder", [`${folder} (${TRUST[trust]})`]],
    ["Notices", notices],
  ];
  const separate = new Set(["Signing in", "MCP servers", "Notices"]);
  const lines = rows.flatMap(([name, values]) => {
    const shown = values.length === 0 ? ["none"] : separate.has(name) ? values : [values.join(", ")];
    return shown.map((value, at) => [at === 0 ? name : "", printableLine(value)]);
  });
  return `${columns(lines).join("\n")}\n`;
}

/** The names of what is there: a field that is true, or an object for it. */
function capabilities(value: object, path = ""): readonly string[] {
  return Object.entries(value).flatMap(([name, each]): readonly string[] => {
    const whole = path === "" ? name : `${path}.${name}`;
    if (each === true) return [whole];
    if (typeof each !== "object" || each === null) return [];
    const inner = capabilities(each as object, whole);
    return inner.length > 0 ? inner : Object.keys(each as object).length === 0 ? [whole] : [];
  });
}
