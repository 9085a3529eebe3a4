/** The part of oidc-provider, which comes without types, that the tests use. */
declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  export default class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>);
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    readonly Client: {
      find(id: string): Promise<{ backchannelLogout(subject: string, session?: string): Promise<void> }>;
    };
  }
}
