/**
 * What a sign-in provider says about itself (OpenID Connect Discovery 1.0), kept for minutes: sign-ins that begin at
 * once share one request, and a provider that does not answer is not asked again for seconds. One entry a provider of
 * the operator's.
 */

import { z } from "zod";
import { checkOperatorUrl } from "../../../base/network/address-rules.ts";
import { onePerProcess } from "../../../base/process/process-wide.ts";
import { operatorNetwork } from "../../services.ts";
import { DISCOVERY_FAILURE_KEPT_MS, DISCOVERY_KEPT_MS, PROVIDER_TIMEOUT_MS } from "../../tunables.ts";

const metadataSchema = z.looseObject({
  issuer: z.string(),
  authorization_endpoint: z.url({ protocol: /^https?$/ }),
  token_endpoint: z.url({ protocol: /^https?$/ }),
  userinfo_endpoint: z.url({ protocol: /^https?$/ }).optional(),
  jwks_uri: z.url({ protocol: /^https?$/ }),
});
export type ProviderMetadata = z.infer<typeof metadataSchema>;

interface Kept {
  metadata: Promise<ProviderMetadata>;
  /** By performance.now(); infinite while the provider is asked. */
  until: number;
}

const discoveries = onePerProcess("discoveries", () => new Map<string, Kept>());

/** Returns the same object while it is kept, so that what is made of it can be kept with it. Throws what went wrong. */
export function discover(issuer: string): Promise<ProviderMetadata> {
  const kept = discoveries().get(issuer);
  if (kept && kept.until > performance.now()) return kept.metadata;
  const metadata = ask(issuer);
  const asked: Kept = { metadata, until: Number.POSITIVE_INFINITY };
  discoveries().set(issuer, asked);
  metadata.then(
    () => {
      asked.until = performance.now() + DISCOVERY_KEPT_MS;
    },
    () => {
      asked.until = performance.now() + DISCOVERY_FAILURE_KEPT_MS;
    },
  );
  return metadata;
}

/** For tests, which change what a provider says. */
export function forgetDiscoveries(): void {
  discoveries().clear();
}

async function ask(issuer: string): Promise<ProviderMetadata> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const reply = await operatorNetwork().fetch(url, {
    headers: { accept: "application/json" },
    signal: AbortSignal.timeout(PROVIDER_TIMEOUT_MS),
  });
  if (reply.status !== 200) {
    await reply.body?.cancel();
    throw new Error(`the provider's discovery document answered ${reply.status}`);
  }
  const metadata = metadataSchema.parse(await reply.json());
  for (const endpoint of [metadata.token_endpoint, metadata.userinfo_endpoint, metadata.jwks_uri])
    if (endpoint !== undefined) checkOperatorUrl(endpoint);
  return metadata;
}
