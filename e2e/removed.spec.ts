/**
 * Somebody who came through an organization's SAML provider is deactivated by its directory (SCIM). After a minute nothing
 * of theirs is left: not the open page, no stream, no key, no agent, and no way back through the provider.
 */
import type { BrowserContext, Page } from "@playwright/test";
import { base64, type IdpKey, makeIdpKey, requestIn, respond } from "../test/saml/idp.ts";
import { agentAt, letAgentIn } from "./fixtures/agent-client.ts";
import { newOwner } from "./fixtures/organizations.ts";
import { expect, SOON, test } from "./fixtures/test.ts";

const ENTITY = "https://idp.gamma.example/metadata";
const EMAIL = "mara@gamma.example";
const PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

test("a person removed at the provider and in the directory has no session, stream, key or agent left after a minute", async ({
  browser,
  baseURL,
}) => {
  const rita = await newOwner(browser, "Rita", "gamma");
  await rita.goto("/inbox");
  const idp = await makeIdpKey();
  const provider = await call(rita, "POST", "/api/v1/saml-providers", {
    ...{ name: "Gamma SSO", entityId: ENTITY, ssoUrl: "https://idp.gamma.example/sso" },
    ...{ certificates: idp.certificate, createAccounts: true, defaultRole: "admin" },
  });
  expect(provider.status).toBe(201);
  const { secret: token } = (await call(rita, "POST", "/api/v1/directory/token", {})).body;

  const context = await browser.newContext();
  await answerAsProvider(context, idp);
  const mara = await context.newPage();
  await mara.goto("/sign-in?organization=gamma&callbackUrl=/inbox");
  await mara.getByRole("button", { name: "Sign in with Gamma SSO" }).click();
  await mara.getByRole("button", { name: "Let me in" }).click();
  await expect(mara).toHaveURL(/\/inbox$/, SOON);

  // Everything that could outlive her: a key of hers, an agent that she made, one that she let in, and what listens with
  // her session, with the key and as the agents.
  const made = await call(mara, "POST", "/api/v1/api-keys", { name: "build", role: "viewer" });
  expect(made.status).toBe(201);
  const byKey = { authorization: `Bearer ${made.body.secret}` };
  const url = baseURL ?? "";
  const agent = await call(mara, "POST", "/api/v1/agent-credentials", { name: "Coder", holdMs: 200_000 });
  expect(agent.status).toBe(201);
  const signIn = await letAgentIn(mara, url, "Helper");
  const agents = [agentAt(url, agent.body.secret), agentAt(url, signIn.token)];
  for (const one of agents) expect(await one.ask()).toEqual([200, null]);
  await mara.goto("/inbox");
  const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
  const stream = (headers: Record<string, string>) =>
    fetch(new URL("/api/v1/stream", baseURL), { headers, signal: AbortSignal.timeout(120_000) });
  const streams = await Promise.all([stream(byKey), stream({ cookie })]);
  expect(streams.map(({ status }) => status)).toEqual([200, 200]);
  const ended = streams.map(async ({ body }) => {
    for await (const _chunk of body!);
    return "ended";
  });
  const held = await Promise.all(agents.map((one) => one.hold()));

  const scim = (method: string, path: string, body?: object) =>
    fetch(new URL(`/api/scim/v2${path}`, baseURL), {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/scim+json" },
      ...(body && { body: JSON.stringify(body) }),
    });
  const found = await (
    await scim("GET", `/Users?filter=${encodeURIComponent(`userName eq "${EMAIL}"`)}`)
  ).json();
  const [{ id }] = found.Resources;
  const off = await scim("PATCH", `/Users/${id}`, {
    schemas: [PATCH],
    Operations: [{ op: "replace", path: "active", value: false }],
  });
  expect(off.status).toBe(200);
  const removedAt = performance.now();

  await expect(mara.getByText("You were signed out.").first()).toBeVisible({ timeout: 60_000 });
  expect(await Promise.all(ended)).toEqual(["ended", "ended"]);
  for (const headers of [byKey, { cookie }])
    expect((await fetch(new URL("/api/v1/me", baseURL), { headers })).status).toBe(401);
  for (const { ended: answer } of held)
    expect(await answer).toMatchObject({ error: { data: { code: "unauthenticated" } } });
  const areRefused = async () => {
    for (const one of agents) expect(await one.ask()).toEqual([401, "unauthenticated"]);
    await expect(signIn.refresh()).rejects.toMatchObject({ code: "invalid_grant" });
  };
  await areRefused();
  expect(performance.now() - removedAt).toBeLessThan(60_000);

  // The provider still says yes, as one does that was told too late.
  await mara.goto("/sign-in?organization=gamma&callbackUrl=/inbox");
  await mara.getByRole("button", { name: "Sign in with Gamma SSO" }).click();
  await mara.getByRole("button", { name: "Let me in" }).click();
  await expect(mara).toHaveURL(/\/sign-in/, SOON);
  await expect(mara.getByRole("alert").first()).toBeVisible(SOON);
  expect((await mara.request.get("/api/v1/me")).status()).toBe(401);
  for (const each of [context, rita.context()]) await each.close();
});

/** Calls the API as the page's person does, from the page itself. */
function call(page: Page, method: string, path: string, body: object) {
  return page.evaluate(
    async ([verb, at, text]) => {
      const answer = await fetch(at, {
        method: verb,
        headers: { "content-type": "application/json" },
        body: text,
      });
      return { status: answer.status, body: await answer.json() };
    },
    [method, path, JSON.stringify(body)] as const,
  );
}

/** The provider's page, which signs Mara in at the press of its button. */
async function answerAsProvider(context: BrowserContext, key: IdpKey): Promise<void> {
  await context.route("https://idp.gamma.example/**", (route) => {
    const { id, acsUrl } = requestIn(route.request().url());
    const said = { entityId: ENTITY, acsUrl, audience: acsUrl.replace(/acs$/, "metadata"), inResponseTo: id };
    const xml = respond({ ...said, nameId: EMAIL, attributes: { email: EMAIL, displayName: "Mara" } }, key);
    const body = `<!doctype html><html lang="en"><title>Identity provider</title>
      <form method="post" action="${acsUrl}"><input type="hidden" name="SAMLResponse" value="${base64(xml)}"><button>Let me in</button></form></html>`;
    return route.fulfill({ contentType: "text/html", body });
  });
  // Playwright meets no request that a redirect leads to: the page goes there by itself instead.
  await context.route("**/api/auth/saml/*/start*", async (route) => {
    const response = await route.fetch({ maxRedirects: 0 });
    expect(response.status()).toBe(303);
    const { location, ...headers } = response.headers();
    const to = location?.replaceAll("&", "&amp;");
    const body = `<!doctype html><meta http-equiv="refresh" content="0;url=${to}">`;
    await route.fulfill({ status: 200, headers: { ...headers, "content-type": "text/html" }, body });
  });
}
