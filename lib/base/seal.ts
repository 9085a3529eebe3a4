/**
 * Seals secrets at rest: AES-256-GCM under a key derived per purpose (HKDF) from the key ring's current key,
 * bound to its row: a value moved to another row, column or organization does not open. Format: `v1.<key
 * id>.<base64url(iv 12 | tag 16 | ciphertext)>`.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";

export interface SealingKey {
  kid: string;
  key: Buffer;
}

/** The place of a sealed value. */
export interface SealedPlace {
  /** `user` for a secret that belongs to no organization: a person's, or the installation's. */
  organizationId: string;
  table: string;
  row: string;
  column: string;
}

export interface Seal {
  /** The id of the key that seals. */
  readonly kid: string;
  seal(place: SealedPlace, plaintext: string): string;
  /**
   * As `seal`, with the same result for the same text at the same place, so that stored values can be compared. Shows
   * whoever sees two values of one place whether their texts are equal, and nothing else.
   */
  sealRepeatably(place: SealedPlace, plaintext: string): string;
  /** Throws if the value was altered or belongs elsewhere, or if its key is not in the ring. */
  open(place: SealedPlace, sealed: string): string;
  /** Returns a keyed digest, for looking up a secret without opening the others. */
  digest(purpose: string, value: string): Buffer;
}

/** `ring`: the first key seals, all open, the last one makes digests. A function is asked each time: keys may change. */
export function createSeal(ring: readonly SealingKey[] | (() => readonly SealingKey[])): Seal {
  const keys = typeof ring === "function" ? ring : () => ring;
  const first = (): SealingKey => {
    const [current] = keys();
    if (!current) throw new Error("INTRAY_KEYS holds no key");
    return current;
  };
  first();
  const derived = new WeakMap<SealingKey, Map<string, Buffer>>();
  const derive = (key: SealingKey, purpose: string): Buffer => {
    const ofKey = derived.get(key) ?? new Map<string, Buffer>();
    derived.set(key, ofKey);
    let found = ofKey.get(purpose);
    if (!found) {
      found = Buffer.from(hkdfSync("sha256", key.key, "intray", purpose, 32));
      ofKey.set(purpose, found);
    }
    return found;
  };
  const boundTo = (p: SealedPlace) => Buffer.from(`${p.organizationId}|${p.table}|${p.row}|${p.column}`);
  const purposeOf = (p: SealedPlace) => `seal|${p.table}|${p.column}`;

  const sealWith = (current: SealingKey, place: SealedPlace, plaintext: string, iv: Buffer): string => {
    const cipher = createCipheriv("aes-256-gcm", derive(current, purposeOf(place)), iv);
    cipher.setAAD(boundTo(place));
    const body = Buffer.concat([cipher.update(plaintext, "utf8"), cipher.final()]);
    return `v1.${current.kid}.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64url")}`;
  };

  return {
    get kid() {
      return first().kid;
    },
    seal: (place, plaintext) => sealWith(first(), place, plaintext, randomBytes(12)),
    sealRepeatably(place, plaintext) {
      const current = first();
      // A nonce made of everything that is sealed: it repeats only where all of it does.
      const iv = createHmac("sha256", derive(current, `nonce|${purposeOf(place)}`))
        .update(boundTo(place))
        .update("\0")
        .update(plaintext)
        .digest()
        .subarray(0, 12);
      return sealWith(current, place, plaintext, iv);
    },
    open(place, sealed) {
      const [version, kid, body] = sealed.split(".");
      if (version !== "v1" || !kid || !body) throw new Error("not a sealed value");
      const key = keys().find((candidate) => candidate.kid === kid);
      if (!key) throw new Error(`the key "${kid}" is not in INTRAY_KEYS`);
      const bytes = Buffer.from(body, "base64url");
      const decipher = createDecipheriv("aes-256-gcm", derive(key, purposeOf(place)), bytes.subarray(0, 12));
      decipher.setAAD(boundTo(place));
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
    },
    digest(purpose, value) {
      // Under the oldest key, so that digests stay valid after a rotation.
      const oldest = keys().at(-1) ?? first();
      return createHmac("sha256", derive(oldest, `digest|${purpose}`))
        .update(value)
        .digest();
    },
  };
}
