// What commands print, and images.

import { printedRuns } from "./printed.ts";

export function Images({ urls }: { readonly urls: readonly string[] }) {
  return (
    <>
      {urls.map((url, at) => (
        <img key={at} class="picture" src={url} alt={`Image ${at + 1}`} loading="lazy" decoding="async" />
      ))}
    </>
  );
}

/** What a command printed. */
export function Printed({ text }: { readonly text: string }) {
  return (
    <>
      {printedRuns(text).map(({ text, look }, at) =>
        look === "" ? (
          text
        ) : (
          <span key={at} class={look}>
            {text}
          </span>
        ),
      )}
    </>
  );
}
