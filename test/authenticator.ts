/**
 * A passkey in software: makes and uses one P-256 credential as WebAuthn Level 3 describes, with what a browser adds.
 * `flags` and `counter` can be set to what no honest authenticator would say.
 */
import { createHash, createSign, generateKeyPairSync, randomBytes } from "node:crypto";

const PRESENT = 0x01;
const VERIFIED = 0x04;
const ATTESTED = 0x40;

export class Authenticator {
  readonly id = randomBytes(16).toString("base64url");
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  readonly #origin: string;
  counter = 0;
  flags = PRESENT | VERIFIED;

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** What `navigator.credentials.create()` gives, as JSON. */
  register(
    challenge: string,
    { format = "none", statement = {} }: { format?: string; statement?: object } = {},
  ) {
    const { x = "", y = "" } = this.#keys.publicKey.export({ format: "jwk" });
    const id = Buffer.from(this.id, "base64url");
    // COSE: kty EC2, alg ES256, crv P-256, x, y.
    const key = cbor(
      new Map<number, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, "base64url")],
        [-3, Buffer.from(y, "base64url")],
      ]),
    );
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const authData = Buffer.concat([this.#head(ATTESTED), Buffer.alloc(16), length, id, key]);
    const attestation = cbor(
      new Map<string, unknown>([
        ["fmt", format],
        ["attStmt", new Map(Object.entries(statement))],
        ["authData", authData],
      ]),
    );
    return this.#credential({
      clientDataJSON: this.#clientData("webauthn.create", challenge),
      attestationObject: attestation.toString("base64url"),
    });
  }

  /** What `navigator.credentials.get()` gives, as JSON. */
  answer(challenge: string, origin = this.#origin) {
    const authData = this.#head(0);
    const clientDataJSON = this.#clientData("webauthn.get", challenge, origin);
    const signed = Buffer.concat([authData, sha256(Buffer.from(clientDataJSON, "base64url"))]);
    return this.#credential({
      clientDataJSON,
      authenticatorData: authData.toString("base64url"),
      signature: createSign("SHA256").update(signed).sign(this.#keys.privateKey, "base64url"),
    });
  }

  #credential<T>(response: T) {
    return { id: this.id, rawId: this.id, type: "public-key", clientExtensionResults: {}, response };
  }

  #clientData(type: string, challenge: string, origin = this.#origin): string {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false })).toString("base64url");
  }

  #head(more: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    return Buffer.concat([sha256(new URL(this.#origin).hostname), Buffer.from([this.flags | more]), counter]);
  }
}

function sha256(value: string | Buffer): Buffer {
  return createHash("sha256").update(value).digest();
}

/** The little of RFC 8949 that this needs. */
function cbor(value: unknown): Buffer {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (typeof value === "string")
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  if (value instanceof Map)
    return Buffer.concat([
      head(5, value.size),
      ...[...value].flatMap(([key, inner]) => [cbor(key), cbor(inner)]),
    ]);
  throw new Error("no CBOR for this");
}

function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value]);
  if (value < 256) return Buffer.from([(major << 5) | 24, value]);
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255]);
}
