// Clouds as servers to ask. They find credentials and addresses in their own ways: variables, files and
// the machine itself, and the commands of the settings that renew them.

import { mkdir, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { networkFetch } from "../../http/network.ts";
import type { Env } from "../../profiles/profiles.ts";
import type { ResolveOptions } from "../../resolve.ts";
import type { AwsOutside } from "../../bedrock/aws-credentials.ts";
import type { MessagesCloud } from "../../messages/clouds.ts";
import type { Credentials, Server } from "../../http/server.ts";

type ServerParts = Omit<Server, "provider" | "baseUrl" | "addressFrom" | "credentials" | "placeOf">;

/** Signing in may need a person and a browser. */
const REFRESH_MS = 3 * 60_000;
const COMMAND_MS = 60_000;

export async function openVertex(options: ResolveOptions, parts: ServerParts, baseUrl?: string): Promise<Server> {
  const { vertexServer } = await import("../../vertex/vertex-server.ts");
  const { env, network = env, settings = {} } = options;
  return vertexServer(env, {
    ...parts,
    outside: {
      ...outsideOf(network),
      run: (command, { env: more, timeoutMs }) => run(options, withVariables(command, more), timeoutMs),
      ...(settings.gcpAuthRefresh ? { authRefresh: refreshWith(settings.gcpAuthRefresh, options) } : {}),
    },
    ...(baseUrl === undefined ? {} : { baseUrl }),
  });
}

export async function openBedrock(options: ResolveOptions, parts: ServerParts, baseUrl?: string): Promise<Server> {
  const { bedrockServer } = await import("../../bedrock/bedrock-server.ts");
  return bedrockServer(options.env, { ...parts, outside: awsOutside(options), ...(baseUrl ? { baseUrl } : {}) });
}

/** A key of the settings or the keychain comes before those of variables. */
export async function openMessagesCloud(
  cloud: MessagesCloud,
  options: ResolveOptions,
  parts: ServerParts & { readonly credentials?: Credentials },
  baseUrl?: string,
): Promise<Server> {
  const { messagesCloudServer } = await import("../../messages/clouds.ts");
  const outside = awsOutside(options);
  return messagesCloudServer(cloud, options.env, { ...parts, outside, ...(baseUrl ? { baseUrl } : {}) });
}

function awsOutside(options: ResolveOptions): AwsOutside {
  const { env, network = env, settings = {} } = options;
  const exporter = settings.awsCredentialExport;
  return {
    ...outsideOf(network),
    writeFile: writePrivately,
    run: (command) => run(options, command, COMMAND_MS),
    ...(exporter ? { credentialExport: async () => (await run(options, exporter, COMMAND_MS)).stdout } : {}),
    ...(settings.awsAuthRefresh ? { authRefresh: refreshWith(settings.awsAuthRefresh, options) } : {}),
  };
}

/** The environment with the region that the AWS profile names, where no variable does. */
export async function withAwsRegion(env: Env): Promise<Env> {
  const { awsRegion } = await import("../../bedrock/aws-credentials.ts");
  return { ...env, AWS_REGION: await awsRegion(env, outsideOf(env)) };
}

function outsideOf(network: Env) {
  return { fetch: networkFetch(network), readFile: readIfThere, now: () => Date.now() };
}

async function readIfThere(path: string): Promise<string | undefined> {
  const file = Bun.file(path);
  return (await file.exists()) ? file.text() : undefined;
}

/** In one step, and only for the user. */
async function writePrivately(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${crypto.randomUUID()}.tmp`;
  await Bun.write(temporary, text, { mode: 0o600 });
  await rename(temporary, path);
}

async function run({ sources }: ResolveOptions, command: string, timeoutMs: number, signal?: AbortSignal) {
  if (!sources) return { code: null, stdout: "" };
  return sources.runCommand(command, { timeoutMs, signal: signal ?? new AbortController().signal });
}

/** The command line with variables in front of it, for a shell. */
function withVariables(command: string, variables: Readonly<Record<string, string>>): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const assignments = Object.entries(variables).map(([name, value]) => `export ${name}=${quoted(value)};`);
  return [...assignments, command].join(" ");
}

const refreshWith =
  (command: string, options: ResolveOptions) =>
  async (signal: AbortSignal | undefined): Promise<boolean> =>
    (await run(options, command, REFRESH_MS, signal)).code === 0;
