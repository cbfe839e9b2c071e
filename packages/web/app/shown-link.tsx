// A link for another device or somebody else: to copy, or to scan.

import { useSignal } from "@preact/signals";
import { encode } from "uqr";

/** At such an address, other devices find themselves. */
export const isOnThisMachine = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(location.hostname);

export function ShownLink({ link }: { readonly link: string }) {
  const isCopied = useSignal(false);
  // Undefined where the page has no TLS.
  const copy = () => void navigator.clipboard?.writeText(link).then(() => (isCopied.value = true));
  return (
    <>
      <pre class="link" tabIndex={0}>
        <code>{link}</code>
      </pre>
      <p class="buttons">
        <button onClick={copy}>{isCopied.value ? "Copied" : "Copy"}</button>
      </p>
    </>
  );
}

export function QrCode({ text }: { readonly text: string }) {
  const { data, size } = encode(text, { border: 2 });
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])));
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label="The link as a QR code">
      <path d={squares.join("")} />
    </svg>
  );
}
