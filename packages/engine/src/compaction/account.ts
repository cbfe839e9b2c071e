// How many tokens a conversation takes: what the last reply reported, plus an estimate of everything added since. The
// estimate learns from each reply how many characters a token has.

import { isFolded, isToolResult, jsonOf, type ContentBlock, type Usage } from "@keelson/protocol";

const TYPICAL = 4;
const FEWEST = 2;
const MOST = 6;
/** Smaller differences say little about the ratio. */
const ENOUGH_TO_LEARN = 500;
const PACE = 0.3;
/** No text has so few characters per token. */
const IMPOSSIBLE = 0.3;
/** What the API counts for a picture that fills its limits. */
const PICTURE_TOKENS = 1_600;
/** A page as text and as a picture; base64 of a page is rarely shorter. */
const DOCUMENT_CHARACTERS_PER_TOKEN = 20;

/** The API accepts 100 pictures, and 32 MB in all. */
const MOST_MEDIA = 90;
const MOST_MEDIA_CHARACTERS = 24_000_000;

export interface RemovedContent {
  readonly tokens: number;
  readonly media: number;
  readonly mediaCharacters: number;
}

export class TokenAccount {
  #reported = 0;
  #given = 0;
  #characters = 0;
  #mediaTokens = 0;
  #ratio = TYPICAL;
  /** A server accepted a request of so few tokens: what requests have besides messages cannot take more. */
  #fewest = Infinity;
  /** All pictures and documents of the conversation, and their characters. */
  #media = { count: 0, characters: 0 };

  /** Content that no reply has reported yet. */
  added(blocks: readonly ContentBlock[]): void {
    for (const block of blocks) this.#count(block);
  }

  /** A reply began. It was given everything so far, and it reports its own length. */
  replied(usage: Usage): void {
    const given = inputTokens(usage);
    // Some servers do not report usage.
    if (given === 0) return;
    this.#fewest = Math.min(this.#fewest, given);
    this.#learn(given - this.#reported);
    this.#given = given;
    this.#reported = given + counted(usage.output_tokens);
    this.#characters = 0;
    this.#mediaTokens = 0;
  }

  /** The same reply continued. */
  continued(usage: Usage): void {
    this.#reported = Math.max(this.#reported, inputTokens(usage) + counted(usage.output_tokens));
  }

  /** The conversation began anew with this content. */
  restart(blocks: Iterable<readonly ContentBlock[]>): void {
    this.#reported = 0;
    this.#given = 0;
    this.#characters = 0;
    this.#mediaTokens = 0;
    this.#media = { count: 0, characters: 0 };
    for (const each of blocks) this.added(each);
  }

  /** Content that is no longer sent. */
  removed({ tokens, media, mediaCharacters }: RemovedContent): void {
    this.#reported = Math.max(0, this.#reported - tokens);
    this.#media = {
      count: Math.max(0, this.#media.count - media),
      characters: Math.max(0, this.#media.characters - mediaCharacters),
    };
  }

  /** Servers accept only so many pictures and documents in a request, whatever the context window is. */
  get hasTooMuchMedia(): boolean {
    return this.#media.count > MOST_MEDIA || this.#media.characters > MOST_MEDIA_CHARACTERS;
  }

  /** `besides` are the characters of what requests have besides messages; a reply that reported counted them. */
  tokens(besides: number): number {
    return this.#reported + this.estimated(besides);
  }

  /** All tokens, if a reply has reported any; zero before. */
  get known(): number {
    return this.#reported === 0 ? 0 : this.tokens(0);
  }

  /** What the newest reply was given, if it reported that; zero otherwise. */
  get given(): number {
    return this.#given;
  }

  /** The part of `tokens` that is only estimated. */
  estimated(besides: number): number {
    return (
      this.tokensIn(this.#characters) + (this.#reported === 0 ? this.tokensBesides(besides) : 0) + this.#mediaTokens
    );
  }

  /** An estimate for what requests have besides messages, with so many characters. */
  tokensBesides(characters: number): number {
    return Math.min(this.tokensIn(characters), Math.max(this.#fewest, Math.ceil(characters / MOST)));
  }

  /** An estimate for a text. */
  tokensIn(characters: number): number {
    return Math.ceil(characters / this.#ratio);
  }

  /** How many characters have about so many tokens. */
  charactersIn(tokens: number): number {
    return Math.floor(tokens * this.#ratio);
  }

  /** An estimate for content, whether it is in the conversation or not. */
  tokensOf(blocks: readonly ContentBlock[]): number {
    const own = new TokenAccount();
    own.#ratio = this.#ratio;
    own.added(blocks);
    return own.tokens(0);
  }

  #count(block: ContentBlock | null): void {
    const media = mediaTokens(block);
    if (media !== undefined) {
      this.#mediaTokens += media;
      this.#media = { count: this.#media.count + 1, characters: this.#media.characters + lengthOf(block) };
    } else if (block && isToolResult(block) && !isFolded(block, "content") && Array.isArray(block.content))
      this.added(block.content);
    else this.#characters += lengthOf(block);
  }

  #learn(tokens: number): void {
    if (this.#reported === 0 || this.#mediaTokens > 0 || tokens < ENOUGH_TO_LEARN) return;
    // Something else became longer, such as the tools, or the last reply was longer than reported.
    if (this.#characters < tokens * IMPOSSIBLE) return;
    const seen = Math.min(MOST, Math.max(FEWEST, this.#characters / tokens));
    this.#ratio += (seen - this.#ratio) * PACE;
  }
}

/** In characters, as it is sent. In a damaged file, a block may be anything. */
export const lengthOf = (block: unknown): number =>
  typeof block === "object" && block !== null ? jsonOf(block).length : String(block).length;

/** Undefined for anything but pictures and documents, whose length says little. */
export function mediaTokens(block: ContentBlock | null): number | undefined {
  if (block?.type === "image") return PICTURE_TOKENS;
  if (block?.type !== "document") return undefined;
  return Math.max(PICTURE_TOKENS, Math.ceil(jsonOf(block).length / DOCUMENT_CHARACTERS_PER_TOKEN));
}

/** Zero if nothing is known: other programs, and damaged files, may have anything there. */
export function inputTokens(usage: Usage | undefined): number {
  return (
    counted(usage?.input_tokens) + counted(usage?.cache_creation_input_tokens) + counted(usage?.cache_read_input_tokens)
  );
}

const counted = (value: unknown): number => (typeof value === "number" && value > 0 ? value : 0);
