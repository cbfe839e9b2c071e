import { expect, test } from "bun:test";
import { answer, call, toolWorld } from "../tool-world.test-support.ts";
import { readFileTool } from "./read.ts";

test("a whole PDF is shown as a line of text and a document", async () => {
  using world = toolWorld();
  const path = world.put("a.pdf", "%PDF-1.4\nabc");
  const data = Buffer.from("%PDF-1.4\nabc").toString("base64");
  expect(await call(readFileTool, { file_path: "a.pdf" }, world.context)).toEqual({
    type: "pdf",
    file: { filePath: path, base64: data, originalSize: 12 },
  });
  expect(await answer(readFileTool, { file_path: "a.pdf" }, world.context)).toEqual([
    { type: "text", text: `PDF file read: ${path} (12 bytes)` },
    { type: "document", source: { type: "base64", media_type: "application/pdf", data } },
  ]);
});

test("selected pages are shown as text", async () => {
  using world = toolWorld();
  const path = world.put("a.pdf", pdf(["First page", "Second page", ""]));
  expect(await answer(readFileTool, { file_path: "a.pdf", pages: "2-9" }, world.context)).toBe(
    [
      `PDF pages read: ${path} (2 of 3)`,
      '<page number="2">\nSecond page\n</page>',
      '<page number="3">\n(no text on this page; it may be an image)\n</page>',
    ].join("\n\n"),
  );
  expect(await answer(readFileTool, { file_path: "a.pdf", pages: "4" }, world.context)).toBe(
    "failed: Page 4 does not exist: the PDF has 3 pages.",
  );
});

test("page ranges are checked before the file is read", async () => {
  using world = toolWorld();
  const bad = (pages: string) =>
    `refused: Invalid pages parameter: "${pages}". Use formats like "1-5", "3", or "10-20". Pages are 1-indexed.`;
  for (const pages of ["x", "0", "5-3", "1,2", "1-"]) {
    expect(await answer(readFileTool, { file_path: "none.pdf", pages }, world.context)).toBe(bad(pages));
  }
  expect(await answer(readFileTool, { file_path: "none.pdf", pages: "1-30" }, world.context)).toBe(
    'refused: Page range "1-30" exceeds maximum of 20 pages per request. Please use a smaller range.',
  );
});

test("a file that is not a PDF is rejected", async () => {
  using world = toolWorld();
  world.put("a.pdf", "hello");
  world.put("b.pdf", "%PDF-1.4\nbroken");
  expect(await answer(readFileTool, { file_path: "a.pdf" }, world.context)).toContain("is not a PDF");
  expect(await answer(readFileTool, { file_path: "b.pdf", pages: "1" }, world.context)).toStartWith(
    "failed: Cannot read the PDF",
  );
});

/** A minimal PDF with one page per text. */
function pdf(texts: readonly string[]): string {
  const kids = texts.map((_, index) => `${4 + index * 2} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${texts.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...texts.flatMap((text, index) => {
      const stream = text ? `BT /F1 12 Tf 20 100 Td (${text}) Tj ET` : "";
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents ${5 + index * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ];
    }),
  ];
  let body = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const offset = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, "0")} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join("")}`;
  return `${body}${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`;
}
