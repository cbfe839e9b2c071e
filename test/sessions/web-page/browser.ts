// A real browser for tests of the page: Debian's Chromium, driven by playwright-core, with nothing downloaded.

import { existsSync } from "node:fs";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

const found = process.env["KEELSON_CHROMIUM"] || PLACES.find((path) => existsSync(path));

/** Where it has to be there, the tests fail without it. */
export const noBrowser = found === undefined && !process.env["CI"] ? "no Chromium is installed" : null;

export const SIZES = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } } as const;

export async function startBrowser(): Promise<Browser & AsyncDisposable> {
  const browser = await chromium.launch({
    executablePath: found ?? PLACES[0]!,
    args: [
      "--no-sandbox",
      "--disable-dev-shm-usage",
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    ],
  });
  return Object.assign(browser, { [Symbol.asyncDispose]: () => browser.close() });
}

export interface OpenedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What went wrong in the page: errors, refused scripts, requests to other hosts. */
  readonly problems: readonly string[];
}

export async function openPage(
  browser: Browser,
  { size = "desktop", dark = false }: { readonly size?: keyof typeof SIZES; readonly dark?: boolean } = {},
): Promise<OpenedPage> {
  const context = await browser.newContext({
    viewport: SIZES[size],
    colorScheme: dark ? "dark" : "light",
    hasTouch: size === "phone",
    isMobile: size === "phone",
    // Of proxies in tests.
    ignoreHTTPSErrors: true,
  });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error.stack ?? error)));
  page.on("console", (message) => {
    const isBroken = /Failed to load resource|WebSocket connection/.test(message.text());
    if (message.type() === "error" && !isBroken) problems.push(message.text());
  });
  page.on("request", (request) => {
    const { hostname, protocol } = new URL(request.url());
    if (hostname !== "127.0.0.1" && hostname !== "localhost" && protocol !== "data:")
      problems.push(`A request to ${request.url()}`);
  });
  return { page, context, problems };
}
