/** The part of oidc-provider, which comes without types, that Intray and its tests use. */
declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  /** A code, token, grant or question, as the adapter keeps it. */
  export type Payload = Record<string, unknown>;

  export interface Adapter {
    upsert(id: string, payload: Payload, expiresIn: number): Promise<void>;
    find(id: string): Promise<Payload | undefined>;
    findByUid(uid: string): Promise<Payload | undefined>;
    findByUserCode(code: string): Promise<Payload | undefined>;
    consume(id: string): Promise<void>;
    destroy(id: string): Promise<void>;
    revokeByGrantId(grantId: string): Promise<void>;
  }

  export interface Client {
    clientId: string;
    clientName?: string;
    clientUri?: string;
    /** Set for a client whose id is the address of its metadata document. */
    clientIdMetadataDocument?: true;
    grantTypeAllowed(type: string): boolean;
    metadata(): Payload;
    backchannelLogout(subject: string, session?: string): Promise<void>;
  }

  export interface Grant {
    jti: string;
    addResourceScope(resource: string, scope: string): void;
    save(): Promise<string>;
  }

  /** Koa's context, with what oidc-provider adds to it. */
  export interface Context {
    req: IncomingMessage;
    path: string;
    status: number;
    body: unknown;
    response: { get(name: string): string | string[] | undefined };
    set(name: string, value: string | string[]): void;
    remove(name: string): void;
    redirect(url: string): void;
    oidc: {
      route: string;
      client?: Client;
      provider: Provider;
      params?: Record<string, unknown>;
      result?: { login?: { accountId: string }; consent?: { grantId: string } };
    };
  }

  export class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>);
    proxy: boolean;
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): void;
    on(event: string, listener: (...values: never[]) => void): void;
    readonly Client: {
      new (metadata: Payload): Client;
      find(id: string): Promise<Client>;
    };
    readonly Grant: new (of: {
      accountId: string;
      clientId: string;
    }) => Grant;
    /** The request that is being answered. */
    static readonly ctx: Context | undefined;
  }
  export default Provider;

  export const interactionPolicy: {
    Prompt: new (of: { name: string; requestable: boolean }, ...checks: unknown[]) => unknown;
    Check: new (reason: string, description: string, check: (context: Context) => boolean) => unknown;
  };

  class OAuthError extends Error {
    constructor(description?: string, detail?: string);
    error: string;
    error_description?: string;
    statusCode: number;
  }
  export const errors: Record<
    "InvalidGrant" | "InvalidTarget" | "InvalidClientMetadata" | "InvalidRedirectUri" | "AccessDenied",
    new (
      description?: string,
      detail?: string,
    ) => OAuthError
  > & { OIDCProviderError: typeof OAuthError };
}
