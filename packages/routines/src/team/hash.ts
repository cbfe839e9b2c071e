import { createHash, randomBytes } from "node:crypto";

/** Of what only its holder has: all that is kept of it. */
export const secretHash = (text: string) => createHash("sha256").update(text).digest("hex");

/** 256 bits, 43 characters. */
export const newSecretText = () => randomBytes(32).toString("base64url");
