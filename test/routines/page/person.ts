// What a person does on the page of routines.

import type { Page } from "playwright-core";
import { press } from "../../sessions/web-page/person.ts";
import { openPage, type OpenedPage, type SIZES } from "../../sessions/web-page/browser.ts";

export { noBrowser, startBrowser } from "../../sessions/web-page/browser.ts";
export { press } from "../../sessions/web-page/person.ts";

type Browser = Parameters<typeof openPage>[0];

export async function signedIn(
  browser: Browser,
  url: string,
  token: string,
  options: { readonly size?: keyof typeof SIZES; readonly dark?: boolean } = {},
): Promise<OpenedPage> {
  const opened = await openPage(browser, options);
  await opened.page.goto(url);
  await opened.page.getByText("Use a token").click();
  await opened.page.getByLabel("Token").fill(token);
  await press(opened.page, "Sign in");
  await opened.page.getByRole("heading", { name: "Routines", exact: true }).waitFor();
  return opened;
}

/** By the hash of its address. */
export const show = (page: Page, at: string) => page.evaluate(`location.hash = ${JSON.stringify(`#/${at}`)}`);
