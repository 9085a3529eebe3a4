/** What an agent's tokens rest on: when one of these goes, the tokens are worth nothing at the next call. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { withClient } from "@/scripts/database/roles.ts";
import {
  type AgentIntray,
  startAgentIntray,
  type Tokens,
} from "@/test/fixtures/agents/agent-oauth-fixture.ts";

let intray: AgentIntray;
let acme: string;
let ana: Awaited<ReturnType<AgentIntray["web"]["member"]>>;
let ola: typeof ana;
let clientId: string;
let tokens: Tokens;
let made = 0;

beforeAll(async () => {
  intray = await startAgentIntray();
});
beforeEach(async () => {
  made++;
  acme = await intray.web.organization(`acme-${made}`);
  ana = await intray.web.member(acme, "Ana", "owner");
  ola = await intray.web.member(acme, "Ola", "operator");
  clientId = await intray.register();
  tokens = await intray.signIn(intray.browser(ola.cookie), clientId);
  expect(await intray.call(tokens.access_token)).toMatchObject({ status: 200 });
});
afterAll(() => intray.close());

const sql = (text: string, values: unknown[] = []) => intray.web.database.sql(text, values);
const refresh = () =>
  intray.token({ grant_type: "refresh_token", refresh_token: tokens.refresh_token, client_id: clientId });
const as = (who: typeof ana, method: "DELETE" | "POST", path: string, body: unknown = {}) =>
  intray.web.call(method, `/api/v1${path}`, { cookie: who.cookie, body });

async function expectEnd(): Promise<void> {
  expect(await intray.call(tokens.access_token)).toMatchObject({ status: 401 });
  const { status, body } = await refresh();
  expect([status, body.error]).toEqual([400, "invalid_grant"]);
}

async function expectNoEnd(): Promise<void> {
  expect(await intray.call(tokens.access_token)).toMatchObject({ status: 200 });
  expect((await refresh()).status).toBe(200);
}

describe("tokens end", () => {
  test("with an admin's press", async () => {
    const { items } = (await intray.web.call("GET", "/api/v1/agent-credentials", { cookie: ana.cookie }))
      .body;
    const [agent] = items;
    expect(agent).toMatchObject({ name: "Test agent", member: { name: "Ola" } });
    expect((await as(ana, "DELETE", `/agent-credentials/${agent.id}`)).status).toBe(204);
    await expectEnd();
    // Signed in again, it begins with nothing that was granted before.
    const again = await intray.signIn(intray.browser(ola.cookie), clientId);
    expect(await intray.call(again.access_token)).toMatchObject({ status: 200 });
    await expectEnd();
  });

  test("with the membership, also where the member comes back", async () => {
    expect((await as(ana, "DELETE", `/members/${ola.memberId}`)).status).toBe(204);
    await expectEnd();
  });

  test("with a suspension, also after it", async () => {
    expect((await as(ana, "POST", `/members/${ola.memberId}/suspend`)).status).toBe(200);
    await expectEnd();
    expect((await as(ana, "POST", `/members/${ola.memberId}/reinstate`)).status).toBe(200);
    await expectEnd();
  });

  test("when the member ends all other sessions", async () => {
    expect((await as(ola, "DELETE", "/me/sessions")).status).toBe(204);
    await expectEnd();
  });

  test("when the member ends this one, which is listed by its agent's name", async () => {
    const list = await intray.web.call("GET", "/api/v1/me/sessions", { cookie: ola.cookie });
    const own = list.body.items.find(({ agent }: { agent: string | null }) => agent === "Test agent");
    expect((await as(ola, "DELETE", `/me/sessions/${own.id}`)).status).toBe(204);
    await expectEnd();
  });

  test("when an admin ends this one, however long it was not used", async () => {
    await sql(
      "UPDATE session SET last_seen_at = now() - interval '3 days' WHERE user_id = $1 AND agent_id IS NOT NULL",
      [ola.userId],
    );
    const path = `/members/${ola.memberId}/sessions`;
    const list = await intray.web.call("GET", `/api/v1${path}`, { cookie: ana.cookie });
    const own = list.body.items.find(({ agent }: { agent: string | null }) => agent === "Test agent");
    expect((await as(ana, "DELETE", `${path}/${own.id}`)).status).toBe(204);
    await expectEnd();
  });

  test("when an admin ends the member's sessions", async () => {
    expect((await as(ana, "DELETE", `/members/${ola.memberId}/sessions`)).status).toBe(204);
    await expectEnd();
  });

  test("with a new password", async () => {
    await sql(`UPDATE "user" SET password_hash = 'before' WHERE id = $1`, [ola.userId]);
    await sql(
      `SELECT gate.change_password($1, 'before', 'after', (SELECT id FROM session WHERE user_id = $1
      AND agent_id IS NULL AND revoked_at IS NULL LIMIT 1))`,
      [ola.userId],
    );
    await expectEnd();
  });

  test("with what the organization asks of a sign-in", async () => {
    await sql("INSERT INTO sign_in_policy (organization_id, providers) VALUES ($1, '{corp}')", [acme]);
    await expectEnd();
  });

  test("with the time after which the organization asks for another sign-in", async () => {
    await sql("INSERT INTO sign_in_policy (organization_id, session_ms) VALUES ($1, 3600000)", [acme]);
    await expectNoEnd();
    await sql("UPDATE session SET created_at = now() - interval '2 hours' WHERE user_id = $1", [ola.userId]);
    await expectEndOfAccess();
  });

  test("with the agent's own ninety days", async () => {
    await sql(
      "UPDATE session SET expires_at = now() - interval '1 second' WHERE agent_id IS NOT NULL AND user_id = $1",
      [ola.userId],
    );
    await expectEnd();
  });

  test("when the sign-in provider signs the member out", async () => {
    await sql(
      "UPDATE session SET provider = 'corp', provider_subject = 'ola', method = 'oidc' WHERE user_id = $1",
      [ola.userId],
    );
    await expectNoEnd();
    await sql(
      "SELECT gate.provider_logout('corp', 'https://corp', 'ola', NULL, $1, now() + interval '1 hour')",
      [`jti-${made}`],
    );
    await expectEndOfAccess();
  });

  test("when the sign-in provider ends the one session that they came from", async () => {
    await sql(
      `UPDATE session SET provider = 'corp', provider_subject = 'ola', provider_session = 'one', method = 'oidc'
        WHERE user_id = $1 AND agent_id IS NULL`,
      [ola.userId],
    );
    tokens = await intray.signIn(intray.browser(ola.cookie), clientId);
    const logout = (session: string) =>
      sql("SELECT gate.provider_logout('corp', 'https://corp', 'ola', $1, $2, now() + interval '1 hour')", [
        session,
        `jti-${made}-${session}`,
      ]);
    await logout("another");
    expect(await intray.call(tokens.access_token)).toMatchObject({ status: 200 });
    await logout("one");
    await expectEnd();
  });

  /** As `expectEnd`, where the refresh token has been used. */
  async function expectEndOfAccess() {
    expect(await intray.call(tokens.access_token)).toMatchObject({ status: 401 });
  }
});

describe("tokens go on", () => {
  test("when the member signs out in the browser, or its eight hours are over", async () => {
    await sql(
      "UPDATE session SET revoked_at = now(), expires_at = now() - interval '1 second' WHERE agent_id IS NULL AND user_id = $1",
      [ola.userId],
    );
    await expectNoEnd();
  });

  test("while the agent is not used for a day", async () => {
    await sql("UPDATE session SET last_seen_at = now() - interval '1 day' WHERE user_id = $1", [ola.userId]);
    await expectNoEnd();
    const rows = await sql(
      "SELECT last_seen_at > now() - interval '1 minute' AS noted FROM session WHERE agent_id IS NOT NULL AND user_id = $1",
      [ola.userId],
    );
    expect(rows).toEqual([{ noted: true }]);
  });
});

test("a call that is held open is looked at again when its member's sign-in ends", async () => {
  const told: unknown[] = [];
  await withClient(intray.web.database.adminUrl, async (client) => {
    client.on("notification", ({ payload }) => told.push(JSON.parse(payload ?? "")));
    await client.query("LISTEN intray_change");
    const { rows } = await client.query(
      "SELECT agent_id FROM session WHERE agent_id IS NOT NULL AND user_id = $1",
      [ola.userId],
    );
    expect((await as(ola, "DELETE", "/me/sessions")).status).toBe(204);
    await expect.poll(() => told).toContainEqual({ o: acme, c: [["agent", rows[0].agent_id]] });
  });
});

test("a session that a provider ends by itself takes the agent's with it", async () => {
  const cookie = await intray.web.signIn(ola.userId);
  await sql(
    `UPDATE session SET expires_at = now() + interval '1 hour' WHERE id = (SELECT id FROM session
      WHERE user_id = $1 AND agent_id IS NULL ORDER BY created_at DESC LIMIT 1)`,
    [ola.userId],
  );
  await intray.signIn(intray.browser(cookie), await intray.register());
  const rows = await sql(
    `SELECT count(*)::integer AS ends FROM session WHERE user_id = $1 AND agent_id IS NOT NULL
      AND expires_at < now() + interval '61 minutes'`,
    [ola.userId],
  );
  expect(rows).toEqual([{ ends: 1 }]);
});

describe("letting an agent in is no word of the sign-in provider's", () => {
  const rests = async () => {
    const rows = await sql("SELECT gate.keys_rest($1, $2) AS rests", [acme, ola.userId]);
    return rows[0].rests;
  };
  beforeEach(async () => {
    await sql("UPDATE session SET provider = 'corp', provider_subject = 'ola' WHERE user_id = $1", [
      ola.userId,
    ]);
    await sql(
      "INSERT INTO sign_in_policy (organization_id, providers, key_age_ms) VALUES ($1, '{corp}', 3600000)",
      [acme],
    );
  });

  test("keys that rest since the provider last spoke go on resting", async () => {
    await sql(
      "INSERT INTO provider_vouch (user_id, provider, at) VALUES ($1, 'corp', now() - interval '2 hours')",
      [ola.userId],
    );
    expect(await rests()).toBe(true);
    await intray.signIn(intray.browser(ola.cookie), clientId).catch(() => undefined);
    expect(await rests()).toBe(true);
  });

  test("nor does it end that the provider signed the member out", async () => {
    await sql("INSERT INTO provider_vouch (user_id, provider, at) VALUES ($1, 'corp', now())", [ola.userId]);
    await sql("INSERT INTO provider_absence (user_id, provider) VALUES ($1, 'corp')", [ola.userId]);
    await intray.signIn(intray.browser(ola.cookie), clientId).catch(() => undefined);
    expect(await rests()).toBe(true);
  });
});

test("an agent's sign-in is no session of a browser's: its secret opens nothing, and it shows no factor", async () => {
  const rows = await sql(
    "SELECT secret_hash, factor_at FROM session WHERE agent_id IS NOT NULL AND user_id = $1",
    [ola.userId],
  );
  expect(rows).toEqual([{ secret_hash: expect.any(Buffer), factor_at: null }]);
  const { hashSecret } = await import("@/lib/base/ids.ts");
  for (const text of [tokens.access_token, tokens.refresh_token, clientId])
    expect(rows[0].secret_hash.equals(hashSecret(text))).toBe(false);
});

test("nothing that opens something is kept as it is", async () => {
  const browser = intray.browser(ola.cookie);
  const { authorization } = await import("@/test/fixtures/agents/agent-oauth-fixture.ts");
  const { query } = authorization(clientId, intray.mcp);
  const open = await browser.ask(`${intray.url}/agents/oauth/auth?${query}`);
  const rows = await sql("SELECT coalesce(string_agg(r::text, ' '), '') AS text FROM agent_oauth_record r");
  const { text } = rows[0];
  expect(text).toContain("AccessToken");
  for (const secret of [tokens.access_token, tokens.refresh_token, open]) expect(text).not.toContain(secret);
});
