// Names of tools, made to fit what a server accepts: names of MCP tools can be too long. The server is sent the fitted
// name, and its calls get the full name back.

export interface NameRule {
  readonly longest: number;
  /** Matches a whole name of any length that is accepted. */
  readonly accepts: RegExp;
}

export const CHAT_NAMES: NameRule = { longest: 64, accepts: /^[a-zA-Z0-9_-]+$/ };
export const CONVERSE_NAMES: NameRule = { ...CHAT_NAMES };
export const RESPONSES_NAMES: NameRule = { longest: 128, accepts: /^[a-zA-Z0-9_-]+$/ };
export const GEMINI_NAMES: NameRule = { longest: 128, accepts: /^[a-zA-Z_][a-zA-Z0-9_-]*$/ };

export interface FittedNames {
  /** The name to send. It may also be of a tool that only the history knows. */
  out(name: string): string;
  /** The full name of the tool that the server calls. A name that no tool has stays as it is. */
  in(name: string): string;
}

export function fitNames(tools: readonly { readonly name: string }[], rule: NameRule): FittedNames {
  const full = new Map<string, string>();
  for (const { name } of tools) full.set(fitName(name, rule), name);
  // Weak models write a tool's name in other capitals, or with a space around it.
  let loose: Map<string, string | undefined> | undefined;
  return {
    out: (name) => fitName(name, rule),
    in(name) {
      const known = full.get(name);
      if (known !== undefined || full.size === 0) return known ?? name;
      if (!loose) {
        loose = new Map();
        for (const [sent, tool] of full)
          loose.set(sent.toLowerCase(), loose.has(sent.toLowerCase()) ? undefined : tool);
      }
      return loose.get(name.trim().toLowerCase()) ?? name;
    },
  };
}

const HASH_LENGTH = 8;

/** A name that is changed gets a hash of the whole, so that two names never become one. */
function fitName(name: string, { longest, accepts }: NameRule): string {
  if (name.length <= longest && accepts.test(name)) return name;
  const hash = new Bun.CryptoHasher("sha256").update(name).digest("hex").slice(0, HASH_LENGTH);
  const plain = name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, longest - HASH_LENGTH - 1);
  return accepts.test(plain) ? `${plain}_${hash}` : `_${plain.slice(1)}_${hash}`;
}
