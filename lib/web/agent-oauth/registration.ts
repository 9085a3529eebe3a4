/** Clients register by themselves (RFC 7591). All are public: they keep no secret, and prove by PKCE that they began. */
import { errors, type Payload, type Provider } from "oidc-provider";
import { registrationSchema } from "../../agents/oauth/agent-oauth-schema.ts";
import { Prisma, storableText } from "../../base/db/db.ts";
import { randomSecret } from "../../base/ids.ts";
import { rememberedNetworkOf } from "../../base/network/address.ts";
import { originOf } from "../auth/origin.ts";
import { database } from "../database.ts";
import { readJson } from "../http/body.ts";
import { throttle } from "../http/throttle.ts";
import {
  AGENT_CLIENT_UNUSED_MS,
  AGENT_REGISTRATIONS_PER_NETWORK,
  MOST_UNUSED_AGENT_CLIENTS,
  STRANGERS_BODY_BYTES,
} from "../tunables.ts";

/** Answers a registration: 201 with the client as it was kept, or an error in the form of RFC 7591. */
export async function registerClient(request: Request, provider: Provider): Promise<Response> {
  await throttle(`agent registrations ${originOf(request).network}`, AGENT_REGISTRATIONS_PER_NETWORK);
  try {
    return Response.json(await keep(await parsed(request), provider, networkOf(request)), { status: 201 });
  } catch (error) {
    if (!(error instanceof errors.OIDCProviderError)) throw error;
    const { statusCode: status, message, error_description } = error;
    return Response.json({ error: message, error_description }, { status });
  }
}

async function parsed(request: Request): Promise<Payload> {
  const body = await readJson(request, undefined, STRANGERS_BODY_BYTES);
  const { success, data, error } = registrationSchema.safeParse(body);
  if (!success) {
    const [issue] = error.issues;
    throw new errors.InvalidClientMetadata(`${issue?.path.join(".") || "the body"}: ${issue?.message}`);
  }
  const { grant_types: grants = ["authorization_code"], response_types: responses = ["code"] } = data;
  if (!grants.includes("authorization_code") || !responses.includes("code"))
    throw new errors.InvalidClientMetadata(
      "a client needs the grant authorization_code and the response code",
    );
  return {
    ...(data.client_name !== undefined && { client_name: storableText(data.client_name) }),
    ...(data.client_uri !== undefined && { client_uri: data.client_uri }),
    redirect_uris: [...new Set(data.redirect_uris)],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
}

/** Wider than the network that tries are counted by: one host may have many of those. */
function networkOf(request: Request): string {
  return rememberedNetworkOf(originOf(request).address) ?? "unknown";
}

async function keep(asked: Payload, provider: Provider, network: string): Promise<Payload> {
  const metadata = {
    ...asked,
    client_id: randomSecret(),
    client_id_issued_at: Math.floor(Date.now() / 1000),
  };
  // Throws for whatever the authorization server would not take later.
  new provider.Client(metadata);
  const db = await database();
  const { ofOne, ofAll } = MOST_UNUSED_AGENT_CLIENTS;
  await db.gate(Prisma.sql`
    SELECT gate.register_agent_client(${metadata.client_id}, ${JSON.stringify(metadata)}::jsonb, ${network},
      ${ofOne}::integer, ${ofAll}::integer, ${AGENT_CLIENT_UNUSED_MS}::bigint)::text`);
  return metadata;
}
