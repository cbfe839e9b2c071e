// Pages of a PDF as the model gets them, with a program in the place of pdftoppm.

import { expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { dirname } from "node:path";
import { runKeelson, startMockModel, temporaryHome, type TemporaryHome } from "@keelson/testkit";
import { STREAM, told, toolUseResults } from "../front-door.ts";

async function readPages(home: TemporaryHome, env: Record<string, string>) {
  const input = { file_path: "a.pdf", pages: "1-2" };
  await using model = await startMockModel([{ calls: [{ name: "Read", input }] }, { text: "done" }]);
  const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url, env });
  return { blocks: told(model.requests[1]!)[0].content, output: toolUseResults(ended)[0] };
}

test("selected pages reach the model as images if pdftoppm is there", async () => {
  using home = temporaryHome();
  home.write("a.pdf", "%PDF-1.4\n");
  const program = home.write("~/bin/pdftoppm", "#!/bin/sh\nprintf one >page-1.jpg; printf two >page-2.jpg\n");
  chmodSync(program, 0o755);
  const { blocks, output } = await readPages(home, { PATH: `${dirname(program)}:/usr/bin:/bin` });
  const image = (text: string) => ({
    type: "image",
    source: { type: "base64", media_type: "image/jpeg", data: Buffer.from(text).toString("base64") },
  });
  expect(blocks).toEqual([
    { type: "text", text: `PDF pages read: ${home.project}/a.pdf (2 pages)` },
    { type: "text", text: "Page 1" },
    image("one"),
    { type: "text", text: "Page 2" },
    image("two"),
  ]);
  expect(output.file).toMatchObject({ count: 2, outputDir: null });
});

test("a program that the project brings is not used, even if it is on the PATH", async () => {
  using home = temporaryHome();
  home.write("a.pdf", "%PDF-1.4\n");
  const program = home.write("node_modules/.bin/pdftoppm", "#!/bin/sh\nprintf x >page-1.jpg\n");
  chmodSync(program, 0o755);
  const { blocks } = await readPages(home, { PATH: `${dirname(program)}:${home.project}/other` });
  expect(blocks).toContain("Cannot read the PDF");
});

test("a damaged PDF is an error that names the file", async () => {
  using home = temporaryHome();
  home.write("a.pdf", "%PDF-1.4\nbroken");
  expect((await readPages(home, {})).blocks).toStartWith(`Cannot read the PDF '${home.project}/a.pdf': `);
});
