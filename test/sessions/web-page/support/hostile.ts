// Texts that would run as code in a page that made HTML of them, and a look at a page that has shown them.

import { expect } from "bun:test";
import type { Page } from "playwright-core";

/** What is called when a text runs. It also asks for a page of another host, in case a script may do no more. */
export const RUN = "window.canary()";
export const MARKUP = [
  `<script>${RUN}</script>`,
  `<img src=x onerror=${RUN}>`,
  `<img src="https://canary.test/x.png">`,
  `<svg onload=${RUN}>`,
  `<svg><script>${RUN}</script></svg>`,
  `<svg><animate onbegin=${RUN} attributeName=x dur=1s>`,
  `<math><mi xlink:href="javascript:${RUN}">x</mi></math>`,
  `<iframe src="javascript:${RUN}"></iframe>`,
  `<iframe srcdoc="<script>parent.canary()</script>"></iframe>`,
  `<object data="javascript:${RUN}"></object>`,
  `<embed src="javascript:${RUN}">`,
  `<details open ontoggle=${RUN}>x</details>`,
  `<input autofocus onfocus=${RUN}>`,
  `<select autofocus onfocus=${RUN}></select>`,
  `<textarea autofocus onfocus=${RUN}></textarea>`,
  `<video><source onerror=${RUN}></video>`,
  `<audio src=x onerror=${RUN}></audio>`,
  `<body onload=${RUN}>`,
  `<marquee onstart=${RUN}>x</marquee>`,
  `<a href="javascript:${RUN}" id=hit>x</a>`,
  `<a href="data:text/html,<script>${RUN}</script>">x</a>`,
  `<form action="javascript:${RUN}"><button>x</button></form>`,
  `<button formaction="javascript:${RUN}" form=x>x</button>`,
  `<base href="https://canary.test/">`,
  `<link rel=stylesheet href="https://canary.test/x.css">`,
  `<meta http-equiv=refresh content="0;url=https://canary.test/">`,
  `<style>@import "https://canary.test/x.css";</style>`,
  `<div style="background:url(https://canary.test/x)">x</div>`,
  `<div style="width:expression(${RUN})">x</div>`,
  `<template><script>${RUN}</script></template>`,
  `<noscript><p title="</noscript><img src=x onerror=${RUN}>">`,
  `<!--><script>${RUN}</script>-->`,
  `<![CDATA[><script>${RUN}</script>]]>`,
  `"><script>${RUN}</script>`,
  `'><img src=x onerror=${RUN}>`,
  `</title><script>${RUN}</script>`,
  `</textarea><script>${RUN}</script>`,
  `</style><script>${RUN}</script>`,
  `</script><script>${RUN}</script>`,
  `{{constructor.constructor('${RUN}')()}}`,
  `\${${RUN}}`,
  `javascript:${RUN}`,
  `&lt;img src=x onerror=${RUN}&gt;`,
  `&#60;img src=x onerror=${RUN}&#62;`,
  `\u003cimg src=x onerror=${RUN}\u003e`,
  `<IMG SRC=x OnErRoR=${RUN}>`,
  `<img\tsrc=x\nonerror=${RUN}>`,
  `<img src=x onerror\u0000=${RUN}>`,
  `<scr\u0000ipt>${RUN}</scr\u0000ipt>`,
  `\u202e<script>${RUN}</script>`,
  `\u001b]8;;javascript:${RUN}\u0007link\u001b]8;;\u0007`,
  `\u001b[31m<img src=x onerror=${RUN}>\u001b[0m`,
];
export const MARKDOWN = [
  `[x](javascript:${RUN})`,
  `[x](JaVaScRiPt:${RUN})`,
  `[x](java\nscript:${RUN})`,
  `[x](&#106;avascript:${RUN})`,
  `[x](\u0001javascript:${RUN})`,
  `[x](vbscript:${RUN})`,
  `[x](data:text/html;base64,PHNjcmlwdD53aW5kb3cuY2FuYXJ5KCk8L3NjcmlwdD4=)`,
  `[x](//canary.test "onmouseover=${RUN}")`,
  `[x](https://canary.test/"onmouseover=${RUN}//)`,
  `![x](https://canary.test/x.png)`,
  `![x](javascript:${RUN})`,
  `![x](x"onerror="${RUN})`,
  `[![x](https://canary.test/y.png)](javascript:${RUN})`,
  `<javascript:${RUN}>`,
  `<https://canary.test/"onmouseover="${RUN}>`,
  `[x]: javascript:${RUN}\n\n[x]`,
  `\`\`\`html"><script>${RUN}</script>\n<script>${RUN}</script>\n\`\`\``,
  `\`<img src=x onerror=${RUN}>\``,
  `# <img src=x onerror=${RUN}>`,
  `| <img src=x onerror=${RUN}> |\n|---|\n| [x](javascript:${RUN}) |`,
  `- [ ] <img src=x onerror=${RUN}>`,
  `> <svg onload=${RUN}>`,
  `**<img src=x onerror=${RUN}>**`,
  `[x][y]\n\n[y]: <javascript:${RUN}> "x"`,
  `<details><summary>x</summary>\n\n<img src=x onerror=${RUN}>\n\n</details>`,
];

const ELEMENTS = [
  "img src=x",
  "svg",
  "body",
  "video src=x",
  "audio src=x",
  "details open",
  "input autofocus",
  "select autofocus",
  "iframe src=x",
  "object data=x",
  "math",
  "a href=x tabindex=0 autofocus",
  "div contenteditable autofocus",
  "style",
  "form",
  "custom-element",
];
const EVENTS = [
  "onerror",
  "onload",
  "onfocus",
  "onbegin",
  "ontoggle",
  "onanimationstart",
  "onpointerenter",
  "onbeforematch",
  "oncontentvisibilityautostatechange",
  "onscroll",
  "onresize",
];

/** All of them, with every event of every element. */
export const HOSTILE: readonly string[] = [
  ...MARKUP,
  ...MARKDOWN,
  ...ELEMENTS.flatMap((element) => EVENTS.map((event) => `<${element} ${event}="${RUN}" id=x style=animation-name:x>`)),
];

/** With everything open: no element but ours, no handler, and no link but to pages. */
export async function expectOnlyText(page: Page): Promise<void> {
  await page.locator("details").evaluateAll((all) => all.forEach((each: any) => (each.open = true)));
  await page.locator(".side .title").first().waitFor();
  const foreign =
    "script:not([src='page.js']), iframe, object, embed, img:not([src^='data:image/']), video, audio, form[action], base, [style*=url]";
  expect(await page.locator(foreign).count()).toBe(0);
  const targets = await page.locator("a").evaluateAll((links) => links.map((link: any) => link.href));
  expect(targets.filter((target) => !/^(?:https?|mailto):/.test(target))).toEqual([]);
  const handlers = await page
    .locator("*")
    .evaluateAll((all) =>
      all.flatMap((each: any) => each.getAttributeNames().filter((name: string) => name.startsWith("on"))),
    );
  expect(handlers).toEqual([]);
}
