// The images of a prompt before it is sent.

import type { AttachedImage } from "./images.ts";

interface AttachedProps {
  readonly images: readonly AttachedImage[];
  remove(image: AttachedImage): void;
}

export function Attached({ images, remove }: AttachedProps) {
  return (
    <ul class="attached" aria-label="Attached images">
      {images.map((image, at) => (
        <li key={at}>
          <img src={image.url} alt={`Image ${at + 1}`} />
          <button class="quiet" aria-label={`Remove image ${at + 1}`} onClick={() => remove(image)}>
            ✕
          </button>
        </li>
      ))}
    </ul>
  );
}
