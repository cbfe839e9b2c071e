import { expect, test } from "bun:test";
import { answer, call, toolWorld } from "../tool-world.test-support.ts";
import { readFileTool, createReadFileTool } from "./read.ts";

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
      "Pages are shown as images if poppler's pdftoppm is installed; it was not found, or it could not draw them.",
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

test("selected pages are shown as images where they can be drawn", async () => {
  using world = toolWorld();
  const path = world.put("a.pdf", pdf(["One", "Two"]));
  const asked: unknown[] = [];
  const read = createReadFileTool({
    async draw(bytes, range) {
      asked.push([Buffer.from(bytes).subarray(0, 5).toString(), range]);
      return [1, 2].map((page) => ({ page, jpeg: new TextEncoder().encode(`image ${page}`) }));
    },
  });
  const image = (page: number) => Buffer.from(`image ${page}`).toString("base64");
  expect(await call(read, { file_path: "a.pdf", pages: "1-2" }, world.context)).toEqual({
    type: "parts",
    file: { filePath: path, originalSize: expect.any(Number), count: 2, outputDir: null },
    pages: [1, 2].map((page) => ({ page, image: { type: "image/jpeg", base64: image(page) } })),
  });
  expect(await answer(read, { file_path: "a.pdf", pages: "1-2" }, world.context)).toEqual([
    { type: "text", text: `PDF pages read: ${path} (2 pages)` },
    { type: "text", text: "Page 1" },
    { type: "image", source: { type: "base64", media_type: "image/jpeg", data: image(1) } },
    { type: "text", text: "Page 2" },
    { type: "image", source: { type: "base64", media_type: "image/jpeg", data: image(2) } },
  ]);
  expect(asked[0]).toEqual(["%PDF-", { first: 1, last: 2 }]);
});

test("pages that cannot be drawn are shown as text, or the error says what is wrong with them", async () => {
  using world = toolWorld();
  world.put("a.pdf", pdf(["One"]));
  world.put("b.pdf", "%PDF-1.4\nbroken");
  const read = createReadFileTool({ draw: async () => null });
  expect(await answer(read, { file_path: "a.pdf", pages: "1" }, world.context)).toContain("One");
  expect(await answer(read, { file_path: "a.pdf", pages: "2" }, world.context)).toBe(
    "failed: Page 2 does not exist: the PDF has 1 page.",
  );
  expect(await answer(read, { file_path: "b.pdf", pages: "1" }, world.context)).toStartWith(
    "failed: Cannot read the PDF",
  );
});

test("a PDF that the API would reject is not sent whole", async () => {
  using world = toolWorld();
  const long = world.put("long.pdf", pdf(Array.from({ length: 101 }, (_, at) => `Page ${at}`)));
  world.put("fits.pdf", pdf(Array.from({ length: 100 }, (_, at) => `Page ${at}`)));
  const locked = world.put("locked.pdf", `${pdf(["x"])}trailer << /Encrypt 9 0 R >>`);
  expect(await answer(readFileTool, { file_path: long }, world.context)).toBe(
    'failed: The PDF has 101 pages, too many to read whole (100 at most). Use the pages parameter, such as pages: "1-20".',
  );
  expect(await answer(readFileTool, { file_path: "fits.pdf" }, world.context)).toBeArrayOfSize(2);
  expect(await answer(readFileTool, { file_path: locked }, world.context)).toBe(
    `failed: The PDF '${locked}' is encrypted, so it cannot be read whole. Use the pages parameter, such as pages: "1-10", or decrypt it first.`,
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
