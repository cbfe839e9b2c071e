// Prints what a model gets at the moments named, or at all of them: `node scripts/bun.mjs test/model-view/print-main.ts
// [moment…]`. `--write` writes the snapshots instead, after a text was changed on purpose.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { MOMENTS } from "./moments.ts";

const words = process.argv.slice(2);
const writes = words.includes("--write");
const named = words.filter((word) => word !== "--write");
for (const [name, view] of Object.entries(MOMENTS)) {
  if (named.length > 0 && !named.includes(name)) continue;
  const text = await view();
  if (writes) writeFileSync(join(import.meta.dir, "snapshots", `${name}.txt`), `${text}\n`);
  else console.log(`########## ${name}\n${text}\n`);
}
