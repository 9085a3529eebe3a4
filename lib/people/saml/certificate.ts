/** Certificates: of identity providers, which are read, and Intray's own, which are made (X.509 v3, self-signed, RSA 2048). */
import { createHash, createSign, generateKeyPair, randomBytes, X509Certificate } from "node:crypto";
import { promisify } from "node:util";
import type { SamlCertificate } from "./saml-schema.ts";
import { OWN_CERTIFICATE_MS } from "./tunables.ts";

/** PEM of certificates in a text of PEM or bare base64, each one once. Null: something in it is no certificate with an RSA key. */
export function certificatesIn(text: string): string[] | null {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [text];
  if (/PRIVATE KEY/.test(text)) return null;
  try {
    const read = blocks.map((block) => {
      const base64 = block.replace(/-----[A-Z ]+-----|\s+/g, "");
      const certificate = new X509Certificate(Buffer.from(base64, "base64"));
      const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey;
      // Keys that can be guessed sign for anybody.
      if (asymmetricKeyType !== "rsa" || (asymmetricKeyDetails?.modulusLength ?? 0) < 2048)
        throw new Error("no RSA key of 2048 bits");
      return certificate.toString();
    });
    return [...new Set(read)];
  } catch {
    return null;
  }
}

export function describeCertificate(pem: string): SamlCertificate {
  const certificate = new X509Certificate(pem);
  return {
    fingerprint: certificate.fingerprint256,
    expiresAt: new Date(certificate.validTo).toISOString(),
    pem,
  };
}

/** A key pair of Intray's own for one provider. */
export async function makeOwnCertificate(now: Date): Promise<{ certificate: string; privateKey: string }> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "der" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const name = tlv(0x30, tlv(0x31, tlv(0x30, oid("550403"), tlv(0x0c, Buffer.from("Intray")))));
  const algorithm = tlv(0x30, oid("2a864886f70d01010b"), tlv(0x05));
  const content = tlv(
    0x30,
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    tlv(0x02, Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    name,
    tlv(0x30, time(now), time(new Date(now.getTime() + OWN_CERTIFICATE_MS))),
    name,
    publicKey,
  );
  const signature = createSign("sha256").update(content).sign(privateKey);
  const der = tlv(0x30, content, algorithm, tlv(0x03, Buffer.from([0]), signature));
  return { certificate: new X509Certificate(der).toString(), privateKey };
}

/** DER: a tag, the length, and the parts. */
function tlv(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const hex = body.length.toString(16);
  const size = Buffer.from(hex.length % 2 ? `0${hex}` : hex, "hex");
  const length =
    body.length < 128 ? Buffer.from([body.length]) : Buffer.concat([Buffer.from([0x80 | size.length]), size]);
  return Buffer.concat([Buffer.from([tag]), length, body]);
}

const oid = (hex: string) => tlv(0x06, Buffer.from(hex, "hex"));

/** GeneralizedTime, which the standard wants from 2050 on; nobody minds it before. */
const time = (at: Date) => tlv(0x18, Buffer.from(`${at.toISOString().replace(/[-:T]/g, "").slice(0, 14)}Z`));

/** The name of a request: unguessable, and an XML name. */
export const newRequestId = () =>
  `_${createHash("sha256").update(randomBytes(32)).digest("hex").slice(0, 40)}`;
