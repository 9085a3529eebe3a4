import type { Tx } from "../../base/db/db.ts";
import { describeCertificate } from "./certificate.ts";

/**
 * Writes down when the sign-in through each of the organization's providers ends for want of a certificate: with the last of the
 * provider's own, which it changes over by having two, or with Intray's for it. Returns all providers' ids.
 */
export async function noteCertificateEnds(tx: Tx): Promise<string[]> {
  const providers = await tx.samlProvider.findMany({
    where: { organizationId: tx.organizationId },
    select: { id: true, certificates: true, certificate: true, certificateEndsAt: true },
  });
  for (const { id, certificates, certificate, certificateEndsAt: known } of providers) {
    const theirs = certificates.map(endOf).sort((a, b) => b - a)[0] ?? Number.POSITIVE_INFINITY;
    const ends = new Date(Math.min(theirs, endOf(certificate)));
    if (known?.getTime() === ends.getTime()) continue;
    await tx.samlProvider.updateMany({
      where: { organizationId: tx.organizationId, id },
      data: { certificateEndsAt: ends },
    });
  }
  return providers.map(({ id }) => id);
}

const endOf = (pem: string) => Date.parse(describeCertificate(pem).expiresAt);
