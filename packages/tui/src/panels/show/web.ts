// /web: a link and a QR code with which this session goes on in a browser. They are shown here only: whoever has the link is the
// user, so it is part of no conversation.

import type { Panel } from "../../screen/view.ts";
import type { PanelContext, PanelEnd } from "../context.ts";
import { closing, textPanel } from "../parts.ts";
import { wrappedLines } from "../wrapped-lines.ts";

export async function webPanel(args: string, context: PanelContext): Promise<Panel<PanelEnd>> {
  const { host, keys, sessionId } = context;
  const { link, qr, listens } = await host.showOnPage(sessionId, args.trim() || undefined);
  const words = [
    "This session is on the page in the browser, and you can type here and there. The link signs one device in, once and within a minute; /web makes another one.",
    ...(args.trim() === "" ? [] : [`The proxy asks http://${listens}.`]),
    link,
  ];
  const text = wrappedLines(words.join("\n\n"));
  // A code that is cut is none.
  const code = host.screenReader ? [] : ["", ...qr];
  let made: { readonly columns: number; readonly lines: readonly string[] } | undefined;
  const lines = (columns: number) => {
    const fits = code.every((row) => row.length <= columns);
    if (made?.columns !== columns) made = { columns, lines: [...text(columns), ...(fits ? code : [])] };
    return made.lines;
  };
  return closing(textPanel({ title: "In the browser", keys, lines }), {
    note: "This session is on the page in the browser",
  });
}
