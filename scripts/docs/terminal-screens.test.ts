import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../root.ts";
import { drawScene, scenes } from "./terminal-screens.ts";

test("the README shows an answer, a change and a question, and no picture is shown twice", () => {
  const pages = ["README.md", ...new Bun.Glob("docs/*.md").scanSync(root)];
  const shown = pages.flatMap((page) => {
    const pictures = readFileSync(join(root, page), "utf8").match(/terminal\/[a-z]+\.svg/g) ?? [];
    return pictures.map((picture) => [page === "README.md" ? page : "docs", picture] as const);
  });
  expect(shown.filter(([page]) => page === "README.md").map(([, picture]) => picture)).toEqual([
    "terminal/answer.svg",
    "terminal/edit.svg",
    "terminal/question.svg",
  ]);
  expect(shown.map(([, picture]) => picture).toSorted()).toEqual(
    scenes.map(({ name }) => `terminal/${name}.svg`).toSorted(),
  );
});

test.each(scenes.map((scene) => [scene.name, scene] as const))("the scene %s can be played", async (name, scene) => {
  const picture = await drawScene(scene);
  expect(picture).toContain(`<title>${scene.title}</title>`);
  expect(picture).not.toContain("/tmp/");
  // Recorded in true color: not only the sixteen colors of the terminal's own palette.
  expect(new Set(picture.match(/fill="#[0-9a-f]{6}"/g)).size).toBeGreaterThan(3);
  expect(existsSync(join(root, "docs", "terminal", `${name}.svg`))).toBe(true);
});
