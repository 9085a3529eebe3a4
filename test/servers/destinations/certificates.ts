/** Certificates for TLS servers of tests, made anew for each run. */
import "reflect-metadata";
import * as x509 from "@peculiar/x509";

x509.cryptoProvider.set(crypto);

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const DAY_MS = 24 * 3600_000;

export interface Authority {
  /** Its own certificate, as PEM. */
  ca: string;
  /** Issues a certificate for names or IP addresses. */
  issue(...names: string[]): Promise<{ cert: string; key: string }>;
}

export async function createAuthority(name: string): Promise<Authority> {
  const keys = await newKeys();
  const validity = { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + DAY_MS) };
  const own = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity,
    serialNumber: "01",
    name: `CN=${name}`,
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [new x509.BasicConstraintsExtension(true, 1, true)],
  });
  let serial = 1;
  return {
    ca: own.toString("pem"),
    async issue(...names) {
      const leaf = await newKeys();
      const certificate = await x509.X509CertificateGenerator.create({
        ...validity,
        serialNumber: String(++serial).padStart(2, "0"),
        subject: `CN=${names[0]}`,
        issuer: own.subject,
        publicKey: leaf.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: ALGORITHM,
        extensions: [
          new x509.SubjectAlternativeNameExtension(
            names.map((each) => ({
              type: /^[\d.]+$|:/.test(each) ? ("ip" as const) : ("dns" as const),
              value: each,
            })),
          ),
        ],
      });
      const key = Buffer.from(await crypto.subtle.exportKey("pkcs8", leaf.privateKey)).toString("base64");
      return {
        cert: certificate.toString("pem"),
        key: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`,
      };
    },
  };
}

function newKeys() {
  return crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
}
