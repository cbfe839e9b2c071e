// What a session reads of the bundled skills: their texts, and a folder with the files that a text refers to.

import { existsSync } from "node:fs";
import type { ExtractedFiles } from "@keelson/host/extract";
import type { Skill } from "@keelson/protocol";

export interface BundledTexts {
  /** Creates the folder of a skill that has one when the skill is first used. Throws if it cannot be created. */
  read(skill: Pick<Skill, "name">): Promise<{ readonly text: string; readonly folder?: string }>;
  /** Removes the folders. */
  close(): void;
}

/** `directory` belongs to the session, and the model may read it. It is created when it is needed. */
export function openBundledTexts(directory: string): BundledTexts {
  const extracted = new Map<string, ExtractedFiles>();
  return {
    async read({ name }) {
      // Only a session that uses a bundled skill loads the texts, and only one with files loads the rest.
      const { bundledText } = await import("./texts.ts");
      const { text, files } = await bundledText(name);
      if (files === undefined) return { text };
      const { extractFiles } = await import("@keelson/host/extract");
      let made = extracted.get(name);
      // Systems remove old files from temporary folders.
      if (made === undefined || !existsSync(made.folder)) {
        made = extractFiles(directory, Object.entries(files));
        extracted.set(name, made);
      }
      return { text, folder: made.folder };
    },
    close() {
      for (const { remove } of extracted.values()) remove();
      extracted.clear();
    },
  };
}
