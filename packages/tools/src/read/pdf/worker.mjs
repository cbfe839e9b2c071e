// Runs in a thread of its own: opens a PDF and reads the text of its pages. A file that takes all memory, or forever,
// costs this thread and nothing else. JavaScript, because executables contain it as a file and do not compile it.

globalThis.addEventListener("message", async ({ data }) => {
  postMessage(await answer(data).catch(({ name, message }) => ({ error: { name, message } })));
});

async function answer({ parser, bytes, range }) {
  const { getDocument } = await import(parser);
  // Verbosity 0 keeps its warnings off stderr.
  const document = await getDocument({ data: bytes, useSystemFonts: true, verbosity: 0 }).promise;
  const totalPages = document.numPages;
  const pages = [];
  for (let page = range?.first ?? 1; page <= Math.min(range?.last ?? 0, totalPages); page++) {
    const { items } = await (await document.getPage(page)).getTextContent();
    const text = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("");
    pages.push({ page, text: text.trimEnd() });
  }
  return { totalPages, pages };
}
