import { expect, test } from "bun:test";
import { deflateSync } from "node:zlib";
import { readPdfText } from "./document.ts";

/** One page with this content, which is deflated. */
function pdfWith(content: Buffer): Uint8Array {
  const stream = `<< /Length ${content.length} /Filter /FlateDecode >>\nstream\n${content.toString("latin1")}\nendstream`;
  const page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << >> >>";
  const objects = ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", page, stream];
  const bodies = objects.map((body, index) => `${index + 1} 0 obj\n${body}\nendobj\n`);
  return Buffer.from(`%PDF-1.4\n${bodies.join("")}trailer\n<< /Root 1 0 R >>\n`, "latin1");
}

test("a small file that unpacks to more than there is room for ends with an error, and the process continues meanwhile", async () => {
  const bytes = pdfWith(deflateSync(Buffer.alloc(512 * 1024 * 1024, " ")));
  expect(bytes.length).toBeLessThan(1_000_000);
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  const { signal } = new AbortController();
  const reading = readPdfText("bomb.pdf", bytes, { signal, range: { first: 1, last: 1 }, maxMemory: 200_000_000 });
  expect(await reading.catch((error: Error) => error.message)).toBe(
    "Reading the PDF 'bomb.pdf' takes too much memory. It may be damaged.",
  );
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(5);
});

test("reading ends when it is interrupted", async () => {
  const bytes = pdfWith(deflateSync(Buffer.alloc(128 * 1024 * 1024, " ")));
  const controller = new AbortController();
  const reading = readPdfText("slow.pdf", bytes, { signal: controller.signal, range: { first: 1, last: 1 } });
  setTimeout(() => controller.abort(new Error("interrupted")), 20);
  expect(await reading.catch((error: Error) => error.message)).toBe("interrupted");
});
