/** An organization, an authorization server, and an MCP server that takes its tokens, on a web that a test drives. */
import { type AuthorizationServer, startAuthorizationServer } from "./authorization-server.ts";
import { type GuardedServer, startGuardedServer } from "./guarded-server.ts";
import { type Answer, ORIGIN, type TestWeb } from "./web.ts";

export interface Person {
  userId: string;
  cookie: string;
}

export interface OAuthScene {
  authority: AuthorizationServer;
  remote: GuardedServer;
  organizationId: string;
  /** An admin. */
  ana: Person;
  addServer(auth?: object, url?: string): Promise<{ id: string; body: Answer["body"] }>;
  /** Asks for the way to the authorization server. */
  depart(serverId: string, options?: { shared?: boolean; who?: Person; scopes?: string[] }): Promise<Answer>;
  /** The browser comes back: where it is sent to, as a path. */
  arrive(url: string, cookie?: string | null): Promise<string>;
  /** There and back. */
  connect(serverId: string, options?: { shared?: boolean; who?: Person }): Promise<string>;
  close(): Promise<void>;
}

let made = 0;

export async function oauthScene(web: TestWeb, inner: string): Promise<OAuthScene> {
  const authority = await startAuthorizationServer();
  const remote = await startGuardedServer(inner, authority);
  const organizationId = await web.organization(`oauth-${made++}`);
  const ana = await web.member(organizationId, "Ana", "admin");
  const depart: OAuthScene["depart"] = (serverId, { shared = true, who = ana, scopes } = {}) =>
    web.call("POST", `/api/v1/servers/${serverId}/connect`, {
      cookie: who.cookie,
      body: { shared, ...(scopes && { scopes }) },
    });
  const arrive: OAuthScene["arrive"] = async (url, cookie = ana.cookie) => {
    const { pathname, search } = new URL(url);
    const answer = await web.call("GET", pathname + search, cookie ? { cookie } : {});
    if (answer.status !== 303) throw new Error(`the callback answered ${answer.status}`);
    return String(answer.headers.get("location")).replace(ORIGIN, "");
  };
  return {
    authority,
    remote,
    organizationId,
    ana,
    depart,
    arrive,
    async addServer(auth = { kind: "oauth" }, url = remote.url) {
      const body = { name: "Finance ERP", url, auth };
      const answer = await web.call("POST", "/api/v1/servers", { cookie: ana.cookie, body });
      if (answer.status !== 201) throw new Error(`the server was not added: ${answer.status}`);
      return { id: answer.body.id, body: answer.body };
    },
    async connect(serverId, options = {}) {
      const departed = await depart(serverId, options);
      if (departed.status !== 200) throw new Error(`no way there: ${JSON.stringify(departed.body)}`);
      const back = await authority.signIn(departed.body.authorizationUrl);
      return arrive(back, (options.who ?? ana).cookie);
    },
    async close() {
      await remote.close();
      await authority.close();
    },
  };
}
