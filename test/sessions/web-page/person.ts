// What a person does on the page.

import type { ScriptedReply } from "@keelson/testkit";
import type { Page } from "playwright-core";

export const bash = (command: string): ScriptedReply => ({ calls: [{ name: "Bash", input: { command } }] });
export const ask = (page: Page, text: string) => page.getByRole("textbox", { name: "Prompt" }).fill(text);
export const send = async (page: Page, text: string) => {
  await ask(page, text);
  await page.getByRole("button", { name: "Send" }).click();
};
export const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
export const signIn = async (page: Page, link: string) => {
  await page.goto(link);
  await press(page, "Sign in");
  await page.getByRole("link", { name: "New", exact: true }).waitFor();
};
export const begin = async (page: Page) => {
  await page.getByRole("link", { name: "New", exact: true }).click();
  await press(page, "Begin");
  await page.getByText("Connected").waitFor();
};
/** It is part of the conversation by now, or soon. */
export const said = (page: Page, text: string) =>
  page.locator(".transcript").getByText(text, { exact: true }).waitFor();
