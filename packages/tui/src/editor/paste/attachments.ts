// What a draft carries besides its text: long pastes and images, each named in it by a placeholder.

import type { TypedPrompt } from "@keelson/protocol";
import type { PastedImage } from "../../host.ts";
import type { SubmittedImage } from "../effects.ts";

/** Pastes with more rows or characters than this become a placeholder. */
const MOST_BREAKS = 2;
const MOST_CHARACTERS = 800;
const MOST_KEPT = 20;

const PLACEHOLDER = /\[(?:Pasted text #(\d+)(?: \+\d+ lines)?|Image #(\d+))\]/g;

export class Attachments {
  readonly #texts = new Map<number, string>();
  readonly #images = new Map<number, PastedImage>();
  #next = 1;

  /** The placeholder for pasted text, or undefined if it is short enough to be shown. */
  addText(text: string): string | undefined {
    const breaks = text.split("\n").length - 1;
    if (breaks <= MOST_BREAKS && text.length <= MOST_CHARACTERS) return undefined;
    const id = this.#next++;
    this.#texts.set(id, text);
    return breaks === 0 ? `[Pasted text #${id}]` : `[Pasted text #${id} +${breaks} lines]`;
  }

  /** The number and the placeholder of an image that is being read. */
  addImage(image?: PastedImage): { id: number; placeholder: string } {
    const id = this.#next++;
    if (image) this.#images.set(id, image);
    return { id, placeholder: `[Image #${id}]` };
  }

  setImage(id: number, image: PastedImage): void {
    this.#images.set(id, image);
  }

  /** Takes over the pastes of a line of the history. */
  load(pasted: TypedPrompt["pastedContents"]): void {
    for (const { id, content } of Object.values(pasted)) {
      this.#texts.set(id, content);
      this.#next = Math.max(this.#next, id + 1);
    }
  }

  /** Lets go of what was sent long ago. Newer ones stay: a queued message may be taken back. */
  forgetOld(needed: string): void {
    const keep = new Set(findPlaceholders(needed).map(({ id }) => id));
    for (const kept of [this.#texts, this.#images]) {
      for (const id of [...kept.keys()].slice(0, -MOST_KEPT)) if (!keep.has(id)) kept.delete(id);
    }
  }

  /** The placeholder that ends at a place, or starts there. */
  placeholderAt(text: string, offset: number, side: "before" | "after"): PlaceholderMatch | undefined {
    return findPlaceholders(text).find(
      ({ start, end, id }) =>
        (side === "before" ? end : start) === offset && (this.#texts.has(id) || this.#images.has(id)),
    );
  }

  textOf(id: number): string | undefined {
    return this.#texts.get(id);
  }

  /** The text with pastes in the place of their placeholders. */
  expand(display: string): string {
    return display.replace(PLACEHOLDER, (placeholder, id?: string) => this.#texts.get(Number(id)) ?? placeholder);
  }

  /** The pastes that a text names, as the history file has them. */
  pastedIn(display: string): TypedPrompt["pastedContents"] {
    const pasted: Record<string, TypedPrompt["pastedContents"][string]> = {};
    for (const { id } of findPlaceholders(display)) {
      const content = this.#texts.get(id);
      if (content !== undefined) pasted[id] = { id, type: "text", content };
    }
    return pasted;
  }

  imagesIn(display: string): SubmittedImage[] {
    return findPlaceholders(display).flatMap(({ id }) => {
      const image = this.#images.get(id);
      return image ? { id, image } : [];
    });
  }
}

export interface PlaceholderMatch {
  readonly id: number;
  readonly start: number;
  readonly end: number;
}

/** Where placeholders are in a text. */
export function findPlaceholders(text: string): PlaceholderMatch[] {
  if (!text.includes("[")) return [];
  return [...text.matchAll(PLACEHOLDER)].map((match) => ({
    id: Number(match[1] ?? match[2]),
    start: match.index,
    end: match.index + match[0].length,
  }));
}
