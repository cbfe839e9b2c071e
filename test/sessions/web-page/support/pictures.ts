// Pictures of the page for its documentation, taken while the tests drive it, when someone asks for them:
// KEELSON_PICTURES=docs/web-page, from the root of the repository.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";

const folder = process.env["KEELSON_PICTURES"];

export async function picture(page: Page, name: string): Promise<void> {
  if (folder === undefined || folder === "") return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), animations: "disabled", caret: "hide" });
}
