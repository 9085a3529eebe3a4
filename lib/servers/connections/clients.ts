/**
 * Intray's client at the authorization server of one MCP server: an admin's, else the client metadata
 * document, else by registration (A8). Credentials belong to one issuer and are never sent to another (A11).
 */
import type { Tx } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import type { Services } from "../../base/process/services.ts";
import type { Seal } from "../../base/seal.ts";
import {
  callbackUrl,
  documentCallbackUrl,
  issuerKey,
  metadataDocumentUrl,
  type OAuthClient,
  register,
  sharedCallbackUrl,
} from "../../mcp/oauth/oauth-client.ts";
import type { AuthorizationMetadata } from "../../mcp/oauth/oauth-discovery.ts";
import { OAuthRefused } from "../../mcp/oauth/oauth-fetch.ts";
import { openClient, secretPlace } from "./grants.ts";

export interface KnownClient {
  /** The row's id. */
  id: string;
  client: OAuthClient;
  /** Where the authorization server sends browsers back to. */
  redirectUri: string;
}

/** Finds or creates the client. `origin` is Intray's public origin. Throws OAuthRefused. */
export async function clientFor(
  services: Services,
  organizationId: string,
  serverId: string,
  metadata: AuthorizationMetadata,
  origin: string,
): Promise<KnownClient> {
  const within = <T>(work: (tx: Tx) => Promise<T>) => services.db.withOrganization(organizationId, work);
  const known = await within((tx) => knownClient(tx, services.seal, serverId, metadata, origin));
  if (known) return known;
  const made = await introduce(services, metadata, origin);
  return within((tx) => storeClient(tx, services.seal, { serverId, issuer: metadata.issuer, ...made }));
}

async function knownClient(
  tx: Tx,
  seal: Seal,
  serverId: string,
  metadata: AuthorizationMetadata,
  origin: string,
): Promise<KnownClient | null> {
  const { organizationId } = tx;
  const { issuer } = metadata;
  const own = callbackUrl(origin, issuer);
  const given = await tx.oauthClient.findFirst({
    where: { organizationId, serverId, registered: "pre-registered" },
    select: CLIENT,
  });
  if (given) {
    if (given.issuer === null) await bind(tx, given.id, serverId, issuer, own);
    else if (given.issuer !== issuer) throw new OAuthRefused("issuer_changed");
    // Bound before issuers had addresses of their own: what the authorization server knows is the shared one.
    const isOld = given.issuer !== null && given.redirectUri === null;
    const redirectUri = isOld ? sharedCallbackUrl(origin) : own;
    return { id: given.id, client: openClient(seal, organizationId, given), redirectUri };
  }
  const row = await tx.oauthClient.findFirst({
    where: {
      organizationId,
      serverId,
      issuer,
      // A registration with the address that all shared is not signed in with any more; its grants go on.
      redirectUri: { in: takesDocument(metadata, origin) ? [own, documentCallback(origin, issuer)] : [own] },
      OR: [{ secretExpiresAt: null }, { secretExpiresAt: { gt: new Date() } }],
    },
    select: CLIENT,
  });
  return (
    row && {
      id: row.id,
      client: openClient(seal, organizationId, row),
      redirectUri: row.redirectUri ?? own,
    }
  );
}

/**
 * The authorization server must be able to fetch the document, and accepts only https. Anybody may send a browser
 * to it with a document of ours, so that only an answer with `iss` tells which server an answer is from.
 */
function takesDocument(metadata: AuthorizationMetadata, origin: string): boolean {
  return (
    metadata.client_id_metadata_document_supported === true &&
    metadata.authorization_response_iss_parameter_supported === true &&
    origin.startsWith("https://")
  );
}

function documentCallback(origin: string, issuer: string): string {
  return documentCallbackUrl(origin, issuerKey(issuer, "document"));
}

/** Binds an admin's client to its issuer at the first connection, replacing other clients of that issuer. */
async function bind(tx: Tx, id: string, serverId: string, issuer: string, redirectUri: string) {
  await tx.oauthClient.deleteMany({ where: { organizationId: tx.organizationId, serverId, issuer } });
  await tx.oauthClient.updateMany({
    where: { organizationId: tx.organizationId, id, issuer: null },
    data: { issuer, redirectUri },
  });
}

async function introduce(
  services: Services,
  metadata: AuthorizationMetadata,
  origin: string,
): Promise<NewClient> {
  const { issuer } = metadata;
  if (takesDocument(metadata, origin)) {
    const client = { clientId: metadataDocumentUrl(origin, issuer), secret: null, method: "none" };
    const redirectUri = documentCallback(origin, issuer);
    return { registered: "metadata-document", client, redirectUri, secretExpiresAt: null };
  }
  if (metadata.registration_endpoint === undefined) throw new OAuthRefused("registration_unavailable");
  const { secretExpiresAt, ...client } = await register(metadata, origin, services.network);
  return { registered: "dynamic", client, redirectUri: callbackUrl(origin, issuer), secretExpiresAt };
}

interface NewClient {
  registered: string;
  client: OAuthClient;
  redirectUri: string;
  secretExpiresAt: Date | null;
}

/** Stores a client in place of an invalid one. Of two simultaneous registrations the last one wins. */
async function storeClient(
  tx: Tx,
  seal: Seal,
  made: NewClient & { serverId: string; issuer: string },
): Promise<KnownClient> {
  const { organizationId } = tx;
  const { serverId, issuer, client, redirectUri } = made;
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`oauth-client ${organizationId} ${serverId}`}, 0))`;
  const was = await tx.oauthClient.findFirst({
    where: { organizationId, serverId, issuer, redirectUri },
    select: { id: true },
  });
  const id = was?.id ?? uuidv7();
  const data = {
    clientId: client.clientId,
    sealedSecret: sealClient(seal, organizationId, id, client),
    secretExpiresAt: made.secretExpiresAt,
    registered: made.registered,
    redirectUri,
  };
  if (was) await tx.oauthClient.updateMany({ where: { organizationId, id }, data });
  else await tx.oauthClient.create({ data: { organizationId, id, serverId, issuer, ...data } });
  return { id, client, redirectUri };
}

/** Sets or removes (null) an admin's client for a server. A client with the same id keeps its grants and redirect address. */
export async function giveClient(
  tx: Tx,
  seal: Seal,
  serverId: string,
  given: { clientId: string; clientSecret: string | null } | null,
): Promise<void> {
  const { organizationId } = tx;
  const was = await tx.oauthClient.findFirst({
    where: { organizationId, serverId, registered: "pre-registered" },
    select: CLIENT,
  });
  const isSame = was !== null && was.clientId === given?.clientId;
  if (was && !isSame) await tx.oauthClient.deleteMany({ where: { organizationId, id: was.id } });
  if (!given) return;
  const id = isSame ? was.id : uuidv7();
  const client = { clientId: given.clientId, secret: given.clientSecret, method: null };
  if (isSame) {
    const sealedSecret = sealClient(seal, organizationId, id, client);
    await tx.oauthClient.updateMany({ where: { organizationId, id }, data: { sealedSecret } });
    return;
  }
  await tx.oauthClient.create({
    data: {
      organizationId,
      id,
      serverId,
      clientId: client.clientId,
      sealedSecret: sealClient(seal, organizationId, id, client),
      registered: "pre-registered",
    },
  });
}

/** Deletes a client that the authorization server rejects, so that the next connection registers anew. */
export async function forgetDynamicClient(tx: Tx, id: string): Promise<void> {
  await tx.oauthClient.deleteMany({
    where: { organizationId: tx.organizationId, id, registered: "dynamic" },
  });
}

const CLIENT = { id: true, issuer: true, clientId: true, sealedSecret: true, redirectUri: true } as const;

function sealClient(seal: Seal, organizationId: string, id: string, client: OAuthClient): string | null {
  if (client.secret === null) return null;
  const { secret, method } = client;
  return seal.seal(secretPlace(organizationId, id), JSON.stringify({ secret, method }));
}
