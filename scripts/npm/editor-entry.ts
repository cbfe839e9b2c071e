// Writes the entry for the registry of the Agent Client Protocol, from which editors install agents: agent.json, and an icon in
// the color of its surroundings.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round">
  <path d="M8 1.5v8M8 2l4.5 6H8M1.5 10.5h13c-1 2.5-3.5 4-6.5 4s-5.5-1.5-6.5-4z"/>
</svg>
`;

/** Editors start the npm package of this version; it needs nothing else. Returns the folder. */
export async function writeEditorEntry(folder: string, version: string): Promise<string> {
  const target = join(folder, "keelson");
  await mkdir(target, { recursive: true });
  const entry = {
    id: "keelson",
    name: "Keelson",
    version,
    description: "An open agent runtime: the sessions of your terminal, in your editor",
    license: "MIT",
    license_url: `https://unpkg.com/keelson@${version}/LICENSE`,
    website: "https://www.npmjs.com/package/keelson",
    distribution: { npx: { package: `keelson@${version}`, args: ["acp"] } },
  };
  await Bun.write(join(target, "agent.json"), `${JSON.stringify(entry, null, 2)}\n`);
  await Bun.write(join(target, "icon.svg"), ICON);
  return target;
}
