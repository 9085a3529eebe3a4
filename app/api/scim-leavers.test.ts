/** What a directory brought belongs to the organization, not to whoever made its token. */
import { expect, test } from "vitest";
import { hashSecret } from "@/lib/base/ids.ts";
import { createDirectoryFixture, USER } from "@/test/directory.ts";
import { webForFile } from "@/test/web.ts";

const web = webForFile();

const sql = (text: string, values: unknown[] = []) => web.database.sql(text, values);
let made = 0;

/** An invitation of an address, and its link. */
async function linkOf(organizationId: string, email: string) {
  const token = `token-${++made}`;
  await sql("UPDATE invitation SET token_hash = $3 WHERE organization_id = $1 AND email = $2", [
    organizationId,
    email,
    hashSecret(token),
  ]);
  return web.call("POST", "/api/join/account", {
    body: { token, name: "Somebody", password: "a password of the tests" },
    headers: { "x-forwarded-for": `10.9.0.${made}` },
  });
}

test.each([
  ["leaves", (id: string, cookie: string) => web.call("DELETE", `/api/v1/members/${id}`, { cookie })],
  [
    "may invite no more",
    (id: string, cookie: string) =>
      web.call("PATCH", `/api/v1/members/${id}`, { cookie, body: { role: "viewer" } }),
  ],
  [
    "is suspended",
    (id: string, cookie: string) => web.call("POST", `/api/v1/members/${id}/suspend`, { cookie, body: {} }),
  ],
])(
  "whoever made the token %s: whom the directory invited can still join, whom they invited by hand can't",
  async (_what, go) => {
    const acme = await createDirectoryFixture(web, `acme-${++made}`);
    const otto = await web.member(acme.organizationId, "Otto", "owner");
    const [brought, byHand] = ["brought", "by-hand"].map((name) => `${name}-${made}@acme.example`) as [
      string,
      string,
    ];
    expect((await acme.scim("POST", "/Users", { schemas: [USER], userName: brought })).status).toBe(201);
    expect((await acme.own("POST", "/invitations", { email: byHand, role: "viewer" })).status).toBe(201);
    expect((await go(acme.owner.memberId, otto.cookie)).status).toBeLessThan(300);
    expect((await linkOf(acme.organizationId, byHand)).body.code).toBe("link_expired");
    expect((await linkOf(acme.organizationId, brought)).status).toBeLessThan(300);
    const [{ count }] = await sql(
      `SELECT count(*)::integer AS count FROM membership m JOIN "user" u ON u.id = m.user_id
      WHERE m.organization_id = $1 AND u.email = $2`,
      [acme.organizationId, brought],
    );
    expect(count).toBe(1);
  },
);
