// The images of a prompt before it is sent.

import type { AttachedImage } from "./images.ts";

interface AttachedProps {
  readonly images: readonly AttachedImage[];
  readonly isReading: boolean;
  /** As soon as they are read. */
  readonly isSent: boolean;
  remove(image: AttachedImage): void;
}

export function Attached({ images, isReading, isSent, remove }: AttachedProps) {
  return (
    <>
      {images.length === 0 ? null : (
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
      )}
      {isReading ? (
        <p class="dim attached" role="status">
          {isSent ? "Sent when the images are read" : "Reading the images"}
        </p>
      ) : null}
    </>
  );
}
