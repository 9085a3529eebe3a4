import type { AuditStream, AuditStreamKind } from "./audit-stream-schema.ts";

export const AUDIT_STREAM_KIND_LABELS: Record<AuditStreamKind, string> = {
  webhook: "Webhook",
  syslog: "Syslog server (TLS)",
  s3: "S3 bucket",
};

/** The name of a destination, and the rest of its address. */
export function auditStreamName({
  kind,
  address,
  bucket,
  prefix,
}: Pick<AuditStream, "kind" | "address" | "bucket" | "prefix">): { title: string; detail: string } {
  if (kind === "syslog") return { title: address, detail: "syslog" };
  const { host, pathname, search } = new URL(address);
  if (kind === "s3") return { title: bucket ?? host, detail: `${host}${prefix ? ` · ${prefix}` : ""}` };
  return { title: host, detail: pathname + search };
}

/** Says why a destination did not take what was sent, and what to do about it. */
export function auditStreamFailure(code: string): string {
  const [, status] = /^status_(\d+)$/.exec(code) ?? [];
  if (status === "401" || status === "403") return `It answered ${status}: check the credentials.`;
  if (status) return `It answered ${status}.`;
  return FAILURES[code] ?? "It could not be reached.";
}

const FAILURES: Record<string, string> = {
  address_not_allowed: "Its address is not public.",
  timeout: "It did not answer in time.",
  name_unknown: "Its name is unknown, or leads to an address that is not allowed.",
  certificate_name: "Its certificate is for another name.",
  certificate_expired: "Its certificate has expired.",
  certificate_untrusted: "Its certificate is not trusted: check the CA certificate.",
  closed_early: "It ended the connection before it had taken everything.",
};
