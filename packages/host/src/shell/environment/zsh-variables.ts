// Reads the exported variables of the user's zsh. Skips functions, aliases and options, which mean something else in
// bash, where commands run.

import { isInherited } from "./child-env.ts";
import { isCleared } from "./cleared-variables.ts";
import { readShellOutput, type StartFiles } from "./start-files.ts";
import { randomHex } from "../../random.ts";

/** Empty if reading them took too long. */
export async function zshVariables(zsh: string, options: StartFiles): Promise<readonly (readonly [string, string])[]> {
  const mark = `--${randomHex(12)}--`;
  const script = SCRIPT.replaceAll("MARK", mark);
  const isWhole = (text: string) => text.endsWith(`${mark}end\0`);
  const printed = await readShellOutput([zsh, "-l", "-i", "-c", script], isWhole, options);
  const from = printed?.indexOf(`${mark}begin\0`) ?? -1;
  if (from < 0) return [];
  const entries = printed!.slice(from + `${mark}begin\0`.length, -`${mark}end\0`.length).split("\0");
  return entries.flatMap((entry) => {
    const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(entry) ?? [];
    if (name === undefined || SHELL_OWN.has(name) || isCleared(name) || !isInherited(name)) return [];
    return [[name, value!] as const];
  });
}

/** Variables of zsh itself, not of the user. */
const SHELL_OWN = new Set(["SHLVL", "_", "ZDOTDIR"]);

// The backslash bypasses aliases. Tied arrays such as `path` are exported under their other name, PATH.
const SCRIPT = `
\\builtin print -rN -- MARKbegin
for __keelson_name in \${(k)parameters[(R)*export*]}; do
  \\builtin print -rN -- "$__keelson_name=\${(P)__keelson_name}"
done
\\builtin print -rN -- MARKend
`;
