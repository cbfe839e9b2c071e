import { expect, test } from "bun:test";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { assertion, newPasskey, registration } from "./authenticator.test-support.ts";
import { challengeIn, checkNewPasskey, checkPasskey, PASSKEY_ALGORITHMS, type PasskeyReply } from "./passkey.ts";

const SITE = { id: "team.example.org", origin: "https://team.example.org" };
const CEREMONY = { challenge: Buffer.from("a challenge").toString("base64url"), origin: SITE.origin, site: SITE.id };

type Answer = PasskeyReply & { signature: string; publicKey: string; algorithm: number };
const named = (body: Record<string, unknown>) =>
  ({
    id: body["id"],
    clientData: body["client_data"],
    authenticatorData: body["authenticator_data"],
    signature: body["signature"],
    publicKey: body["public_key"],
    algorithm: body["algorithm"],
  }) as Answer;
const outcome = (work: Promise<unknown>) => work.catch((error: Error) => `${error.name}: ${error.message}`);
const flipped = (text: string, at: number) => {
  const bytes = Buffer.from(text, "base64url");
  bytes[at < 0 ? bytes.length + at : at]! ^= 1;
  return bytes.toString("base64url");
};

test.each([-7, -8, -257] as const)(
  "a passkey of algorithm %d is added and used, and nothing that was changed counts",
  async (algorithm) => {
    expect(PASSKEY_ALGORITHMS).toContain(algorithm);
    const passkey = newPasskey(algorithm);
    const added = named(registration(passkey, CEREMONY));
    expect([challengeIn(added), await checkNewPasskey(added, SITE)]).toEqual(["a challenge", { counter: 0 }]);
    // ECDSA numbers are shorter now and then.
    for (let times = 0; times < (algorithm === -7 ? 600 : 2); times++) {
      const used = named(assertion(passkey, CEREMONY));
      expect(await checkPasskey(used, { ...passkey, counter: passkey.counter - 1 }, SITE)).toEqual({
        counter: passkey.counter,
      });
    }
    const good = named(assertion(passkey, CEREMONY));
    const stored = { ...passkey, counter: 0 };
    const other = newPasskey(algorithm);
    const attempts: Record<string, readonly [() => Promise<unknown>, string]> = {
      "another key": [() => checkPasskey(good, { ...stored, publicKey: other.publicKey }, SITE), "wrong signature"],
      "a changed signature": [
        () => checkPasskey({ ...good, signature: flipped(good.signature, -1) }, stored, SITE),
        "wrong signature",
      ],
      "no signature": [() => checkPasskey({ ...good, signature: "" }, stored, SITE), "wrong signature"],
      "a longer signature": [
        () => checkPasskey({ ...good, signature: `${good.signature}AAAA` }, stored, SITE),
        "wrong signature",
      ],
      "a changed counter": [
        () => checkPasskey({ ...good, authenticatorData: flipped(good.authenticatorData, 36) }, stored, SITE),
        "wrong signature",
      ],
      "client data with a space more": [
        () =>
          checkPasskey(
            { ...good, clientData: Buffer.from(`${Buffer.from(good.clientData, "base64url")} `).toString("base64url") },
            stored,
            SITE,
          ),
        "wrong signature",
      ],
      "an answer to a registration": [
        () => checkPasskey({ ...added, signature: good.signature }, stored, SITE),
        "an answer to something else",
      ],
      "an old counter": [
        () => checkPasskey(good, { ...stored, counter: passkey.counter }, SITE),
        "the counter did not grow: the passkey may have been copied",
      ],
    };
    for (const [name, [work, why]] of Object.entries(attempts))
      expect([name, await outcome(work())]).toEqual([name, `PasskeyProblem: ${why}`]);
  },
);

test("what a browser says of another place, or of nobody, is refused", async () => {
  const passkey = newPasskey();
  const changes: readonly (readonly [object, string])[] = [
    [{ origin: "https://evil.example" }, "another origin"],
    [{ origin: "https://team.example.org.evil.example" }, "another origin"],
    [{ origin: "http://team.example.org" }, "another origin"],
    [{ origin: "https://team.example.org:8443" }, "another origin"],
    [{ clientData: { origin: undefined } }, "another origin"],
    [{ clientData: { crossOrigin: true } }, "inside another page"],
    [{ clientData: { crossOrigin: "false" } }, "inside another page"],
    [{ clientData: { topOrigin: SITE.origin } }, "inside another page"],
    [{ clientData: { type: "payment.get" } }, "an answer to something else"],
    [{ site: "evil.example" }, "another host"],
    [{ flags: 1 }, "nobody was verified"],
    [{ flags: 4 }, "nobody was verified"],
    [{ flags: 0 }, "nobody was verified"],
  ];
  for (const [change, why] of changes) {
    const ceremony = { ...CEREMONY, ...change };
    const used = outcome(checkPasskey(named(assertion(passkey, ceremony)), { ...passkey, counter: 0 }, SITE));
    const added = outcome(checkNewPasskey(named(registration(passkey, ceremony)), SITE));
    expect([change, await used, await added]).toEqual([change, `PasskeyProblem: ${why}`, `PasskeyProblem: ${why}`]);
  }
  const short = { ...named(assertion(passkey, CEREMONY)), authenticatorData: "AAAA" };
  expect(await outcome(checkPasskey(short, { ...passkey, counter: 0 }, SITE))).toBe("PasskeyProblem: too short");
  for (const clientData of ["", "bm90IEpTT04", "W10", "bnVsbA"]) {
    const broken = { ...named(assertion(passkey, CEREMONY)), clientData };
    expect([challengeIn(broken), await outcome(checkPasskey(broken, { ...passkey, counter: 0 }, SITE))]).toEqual([
      "",
      "PasskeyProblem: an answer to something else",
    ]);
  }
});

test("a key is of its algorithm, and the browser has no say in it later", async () => {
  const [ec, ed, rsa] = [newPasskey(-7), newPasskey(-8), newPasskey(-257)];
  const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" });
  const short = generateKeyPairSync("rsa", { modulusLength: 1024 });
  const spki = ({ publicKey }: { readonly publicKey: KeyObject }) =>
    publicKey.export({ type: "spki", format: "der" }).toString("base64url");
  const wrong = [
    [ec, { algorithm: -257 }, "not a public key of its algorithm"],
    [ec, { algorithm: -8 }, "not a public key of its algorithm"],
    [rsa, { algorithm: -7 }, "not a public key of its algorithm"],
    [ed, { algorithm: -7 }, "not a public key of its algorithm"],
    [ec, { algorithm: 0 }, "an algorithm that was not offered"],
    // HS256: a secret that everybody has.
    [ec, { algorithm: 5 }, "an algorithm that was not offered"],
    [ec, { algorithm: -65535 }, "an algorithm that was not offered"],
    [ec, { publicKey: "" }, "not a public key of its algorithm"],
    [ec, { publicKey: spki(p384) }, "not a public key of its algorithm"],
    [rsa, { publicKey: spki(short) }, "the key is too short"],
    [ec, { id: ed.id }, "another credential"],
    [ec, { id: "" }, "another credential"],
  ] as const;
  for (const [passkey, change, why] of wrong) {
    const reply = { ...named(registration(passkey, CEREMONY)), ...change };
    expect([change, await outcome(checkNewPasskey(reply, SITE))]).toEqual([change, `PasskeyProblem: ${why}`]);
  }
  // Signed with the key of another algorithm than the one that is stored.
  const stored = { publicKey: ec.publicKey, algorithm: ec.algorithm, counter: 0 };
  for (const passkey of [ed, rsa])
    expect(await outcome(checkPasskey({ ...named(assertion(passkey, CEREMONY)), id: ec.id }, stored, SITE))).toBe(
      "PasskeyProblem: wrong signature",
    );
});
