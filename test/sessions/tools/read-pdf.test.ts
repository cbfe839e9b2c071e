// Pages of a PDF as the model gets them, with a program in the place of pdftoppm.

import { expect, test } from "bun:test";
import { chmodSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, testUnless, type TemporaryHome } from "@keelson/testkit";
import { confinementMissing } from "../needs-bubblewrap.ts";
import { STREAM, told, toolUseResults } from "../front-door.ts";

async function readPages(home: TemporaryHome, env: Record<string, string>, through: readonly string[] = []) {
  const input = { file_path: "a.pdf", pages: "1-2" };
  await using model = await startMockModel([{ calls: [{ name: "Read", input }] }, { text: "done" }]);
  const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url, env, through });
  return { blocks: told(model.requests[1]!)[0].content, output: toolUseResults(ended)[0] };
}

const poppler = Bun.which("pdftoppm");
/** A machine whose system has no pdftoppm. */
const hidden = poppler === null ? [] : ["bwrap", "--dev-bind", "/", "/", "--ro-bind", "/dev/null", poppler, "--"];
const shielded = testUnless(confinementMissing(), test);

shielded(
  "selected pages reach the model as images; a pdftoppm of the user's draws them behind the shield",
  async () => {
    using home = temporaryHome();
    home.write("a.pdf", "%PDF-1.4\n");
    const draw = "printf one >page-1.jpg; printf two >page-2.jpg";
    const program = home.write(
      "~/bin/pdftoppm",
      `#!/bin/sh\n${draw}\ngrep -c keelson- /proc/self/mountinfo >"${home.root}/mounts"\n`,
    );
    chmodSync(program, 0o755);
    const { blocks, output } = await readPages(home, { PATH: `${dirname(program)}:/usr/bin:/bin` }, hidden);
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
    // The mark of the shield.
    expect(readFileSync(join(home.root, "mounts"), "utf8")).not.toBe("0\n");
  },
);

testUnless(poppler ? null : "pdftoppm is not installed", test)(
  "poppler draws the pages that were asked for",
  async () => {
    using home = temporaryHome();
    home.write("a.pdf", threePages());
    const { blocks } = await readPages(home, { PATH: `${dirname(poppler!)}:/usr/bin:/bin` });
    const pictures = blocks.filter(({ type }: any) => type === "image");
    expect(pictures).toHaveLength(2);
    for (const { source } of pictures) {
      expect(source.media_type).toBe("image/jpeg");
      expect([...Buffer.from(source.data, "base64").subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
    }
  },
);

/** A PDF with three blank pages. */
function threePages(): string {
  const page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>";
  const bodies = ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R 4 0 R 5 0 R] /Count 3 >>"];
  let text = "%PDF-1.4\n";
  const offsets = [...bodies, page, page, page].map((body, index) => {
    const at = text.length;
    text += `${index + 1} 0 obj\n${body}\nendobj\n`;
    return at;
  });
  const rows = offsets.map((at) => `${String(at).padStart(10, "0")} 00000 n \n`).join("");
  const table = `xref\n0 6\n0000000000 65535 f \n${rows}`;
  return `${text}${table}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
}

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
