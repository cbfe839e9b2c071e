import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "../root.ts";
import { drawScene, scenes } from "./terminal-screens.ts";

test.each(scenes.map((scene) => [scene.name, scene] as const))("the scene %s can be played", async (name, scene) => {
  const picture = await drawScene(scene);
  expect(picture).toContain(`<title>${scene.title}</title>`);
  expect(picture).not.toContain("/tmp/");
  expect(existsSync(join(root, "docs", "terminal", `${name}.svg`))).toBe(true);
});
