import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeEditorEntry } from "./editor-entry.ts";

test("the entry for editors has what the registry requires, and starts this version", async () => {
  const folder = mkdtempSync(join(tmpdir(), "keelson-entry-"));
  try {
    const target = await writeEditorEntry(folder, "1.2.3");
    const entry = JSON.parse(readFileSync(join(target, "agent.json"), "utf8"));
    expect(target).toBe(join(folder, entry.id));
    expect(entry.id).toMatch(/^[a-z][a-z0-9-]*$/);
    expect(entry).toMatchObject({ name: "Keelson", version: "1.2.3", license: "MIT" });
    for (const field of ["description", "license_url", "website"]) expect(entry[field]).not.toBe("");
    for (const field of ["license_url", "website"]) expect(URL.canParse(entry[field])).toBe(true);
    expect(entry.distribution).toEqual({ npx: { package: "keelson@1.2.3", args: ["acp"] } });
    const icon = readFileSync(join(target, "icon.svg"), "utf8");
    expect(icon).toMatch(/^<svg [^>]*width="16" height="16"/);
    expect([icon.includes("currentColor"), /#[0-9a-f]{3}/i.test(icon)]).toEqual([true, false]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
