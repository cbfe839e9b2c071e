// PowerShell: runs one command in PowerShell. The session's shell starts it, so that limits, sandbox, tasks and output
// are those of Bash.

import { ToolError, type Tool } from "@keelson/engine";
import { commandTool, type BashInput, type BashOutput } from "../bash/command-tool.ts";
import description from "./powershell.md" with { type: "text" };

export interface PowerShellOptions {
  /** The program; null if there is none. Called before each command. */
  find(): string | null;
  readonly background?: boolean;
}

export function powershellTool({ find, background = true }: PowerShellOptions): Tool<BashInput, BashOutput> {
  const program = () => {
    const found = find();
    if (found === null) {
      throw new ToolError(
        "PowerShell was not found: neither 'pwsh' nor 'powershell' is on the PATH. Install PowerShell, or use Bash.",
      );
    }
    return found;
  };
  const script = (command: string) => powershellCall(program(), command);
  return commandTool({
    kind: { tool: "PowerShell", script },
    description,
    language: "powershell",
    background,
    check: () => void program(),
  });
}

/**
 * What the shell runs. Without the last line, PowerShell would report only 0 or 1, and only for the last statement. The
 * empty line ends a command that ends with a backtick.
 */
function powershellCall(program: string, command: string): string {
  const script = `${command}\n\nif (-not $?) { if ($LASTEXITCODE) { exit $LASTEXITCODE } else { exit 1 } }`;
  return [program, "-NoLogo", "-NoProfile", "-NonInteractive", "-Command", script].map(quote).join(" ");
}

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
