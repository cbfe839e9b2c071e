// ShareOnboardingGuide: bundles ONBOARDING.md with the files it links to, for the user to hand on. It uploads only to
// the address that the user's settings name.

import { resolve } from "node:path";
import {
  boolean,
  defineTool,
  object,
  oneOf,
  optional,
  string,
  ToolError,
  type Tool,
  type ToolContext,
} from "@keelson/engine";
import description from "./share-onboarding.md" with { type: "text" };

export interface ShareOnboardingInput {
  readonly path?: string;
  readonly format?: "zip" | "file";
  readonly output?: string;
  readonly upload?: boolean;
}

export interface ShareOnboardingOutput {
  readonly format: "zip" | "file";
  /** Paths in the project, the guide first. */
  readonly files: readonly string[];
  readonly leftOut: readonly { readonly file: string; readonly reason: string }[];
  readonly size: number;
  /** Where it was written. */
  readonly filePath?: string;
  /** Where it was uploaded to. */
  readonly url?: string;
}

/** Where guides are uploaded. */
export interface GuideServer {
  /** Undefined if the user has not set one up. */
  address(): string | undefined;
  /** The link to the guide, if the server sends one. Rejects with ToolError. */
  upload(bundle: Uint8Array, name: string, signal: AbortSignal): Promise<string | undefined>;
}

const NO_SERVER =
  'No upload address is set up. Set "onboarding": {"url": …} in the user settings, or leave out \'upload\'.';

export function shareOnboardingTool(server: GuideServer): Tool<ShareOnboardingInput, ShareOnboardingOutput> {
  return defineTool<ShareOnboardingInput, ShareOnboardingOutput>({
    name: "ShareOnboardingGuide",
    description,
    input: object({
      path: optional(string("The guide, if it is not ONBOARDING.md in the project's root")),
      format: optional(oneOf(["zip", "file"], "zip (default), or one Markdown file")),
      output: optional(string("The file to write")),
      upload: optional(boolean("Send it to the user's server instead of writing a file")),
    }),
    async check(input, context) {
      if (input.upload && server.address() === undefined) throw new ToolError(NO_SERVER);
      const guide = guideOf(input, context);
      const stat = await context.files.stat(guide);
      if (stat?.kind !== "file")
        throw new ToolError(`There is no guide at '${guide}'. Write it first, or pass 'path'.`);
    },
    access: (input, context) =>
      input.upload ? { kind: "url", url: server.address() ?? "" } : { kind: "edit", path: outputOf(input, context) },
    async run(input, context) {
      const { makeBundle, isBundle } = await import("./bundle.ts");
      const format = input.format ?? "zip";
      const { bytes, ...made } = await makeBundle(guideOf(input, context), format, context);
      const output = { format, ...made, size: bytes.length };
      if (input.upload) {
        const url = await server.upload(bytes, NAMES[format], context.signal);
        return { ...output, ...(url === undefined ? {} : { url }) };
      }
      const filePath = outputOf(input, context);
      const old = await context.files.stat(filePath);
      if (old && !(old.kind === "file" && isBundle(await context.files.read(filePath)))) {
        throw new ToolError(`'${filePath}' exists and is not an earlier bundle. Choose another name with 'output'.`);
      }
      await context.files.write(filePath, bytes);
      return { ...output, filePath };
    },
    show({ files, leftOut, filePath, url, size }) {
      const where =
        filePath === undefined
          ? url
            ? `uploaded: ${url}`
            : "uploaded; the server sent no link"
          : `written to ${filePath}`;
      const lines = [
        `Onboarding guide ${where} (${size} bytes, ${files.length === 1 ? "1 file" : `${files.length} files`})`,
      ];
      if (leftOut.length > 0) lines.push("Left out:", ...leftOut.map(({ file, reason }) => `- ${file}: ${reason}`));
      return lines.join("\n");
    },
  });
}

const NAMES = { zip: "onboarding-guide.zip", file: "onboarding-guide.md" } as const;

const guideOf = ({ path = "ONBOARDING.md" }: ShareOnboardingInput, { workspace }: ToolContext) =>
  resolve(workspace.root, path);

const outputOf = ({ output, format = "zip" }: ShareOnboardingInput, { workspace }: ToolContext) =>
  resolve(workspace.root, output ?? NAMES[format]);
