// In an exported page, the body of a call is drawn when it is opened first: a document may have thousands of them.
// build-page.ts puts this in the place of call-body.tsx.

import { useSignal } from "@preact/signals";
import type { ComponentProps } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { CallBody as WholeBody } from "../transcript/call-body.tsx";

/** @public In the place of the other. */
export function CallBody(props: ComponentProps<typeof WholeBody>) {
  const place = useRef<HTMLSpanElement>(null);
  const wasOpened = useSignal(false);
  useLayoutEffect(() => {
    const fold = place.current?.closest("details");
    const look = () => {
      if (fold?.open) wasOpened.value = true;
    };
    look();
    fold?.addEventListener("toggle", look);
    return () => fold?.removeEventListener("toggle", look);
  }, []);
  return wasOpened.value ? <WholeBody {...props} /> : <span ref={place} hidden />;
}
