// The key that secrets are encrypted with, kept by the system: the keychain on macOS (`security`), the secret service on
// Linux (`secret-tool`). Nothing secret is in an argument, where other users could read it.

import { findHelper, helperPath, type FindHelper } from "../programs/registry/helpers.ts";

export interface KeyringOptions {
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How long the keyring may take. It may ask the user to unlock it. */
  readonly limitMs?: number;
  /** For tests. */
  readonly find?: FindHelper;
}

export interface Keyring {
  /** Hexadecimal. Undefined if there is none, or if the keyring cannot be used now. */
  readKey(): Promise<string | undefined>;
  /** Whether it is stored. */
  storeKey(key: string): Promise<boolean>;
}

const SERVICE = "Keelson MCP";
const ACCOUNT = "credentials-key";
const KEY = /^[0-9a-f]{64}$/;
const LIMIT_MS = 20_000;

/** Undefined if this system has none. */
export function systemKeyring(options: KeyringOptions): Keyring | undefined {
  const { platform, env, limitMs = LIMIT_MS, find = (name) => findHelper(name, env["PATH"]) } = options;
  let isHanging = false;
  const run: Run = async (argv, input = "") => {
    // Once is enough: every sign-in would wait several times.
    if (isHanging) return undefined;
    const end = await runProgram(argv, input, { env, limitMs });
    if (end === "took too long") isHanging = true;
    else return end;
  };
  if (platform === "darwin") {
    const security = find("security");
    return security === null ? undefined : keychain(security, run);
  }
  // Without a bus there is no service to ask, and the program would wait for one.
  if (platform !== "linux" || !env["DBUS_SESSION_BUS_ADDRESS"]) return undefined;
  const secretTool = find("secret-tool");
  return secretTool === null ? undefined : secretService(secretTool, run);
}

type Run = (argv: string[], input?: string) => Promise<string | undefined>;

function keychain(security: string, run: Run): Keyring {
  const readKey = async () => asKey(await run([security, "find-generic-password", "-a", ACCOUNT, "-s", SERVICE, "-w"]));
  return {
    readKey,
    async storeKey(key) {
      // Commands on stdin are not visible to others.
      await run([security, "-i"], `add-generic-password -U -a "${ACCOUNT}" -s "${SERVICE}" -w "${key}"\n`);
      return (await readKey()) === key;
    },
  };
}

function secretService(secretTool: string, run: Run): Keyring {
  const attributes = ["service", SERVICE, "account", ACCOUNT];
  const readKey = async () => asKey(await run([secretTool, "lookup", ...attributes]));
  return {
    readKey,
    async storeKey(key) {
      await run([secretTool, "store", `--label=${SERVICE}`, ...attributes], key);
      return (await readKey()) === key;
    },
  };
}

function asKey(output: string | undefined): string | undefined {
  const key = output?.trim();
  return key !== undefined && KEY.test(key) ? key : undefined;
}

const NEEDED = ["HOME", "USER", "LANG", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "DISPLAY", "WAYLAND_DISPLAY"];

/** The output, or undefined if the program failed. */
async function runProgram(
  argv: string[],
  input: string,
  { env, limitMs }: Required<Pick<KeyringOptions, "env" | "limitMs">>,
): Promise<string | "took too long" | undefined> {
  const start = performance.now();
  try {
    const child = Bun.spawn(argv, {
      stdin: Buffer.from(input),
      stdout: "pipe",
      stderr: "ignore",
      env: {
        ...Object.fromEntries(NEEDED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
        PATH: helperPath(env["PATH"]),
      },
      timeout: limitMs,
      killSignal: "SIGKILL",
      maxBuffer: 64 * 1024,
    });
    const code = await child.exited;
    if (code === 0) return await child.stdout.text();
    return performance.now() - start >= limitMs ? "took too long" : undefined;
  } catch {
    return undefined;
  }
}
