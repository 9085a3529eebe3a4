/** An organization's own identity provider: set up, tested, and signed in through, to where one was going. */

import { base64, makeIdpKey, requestIn, respond } from "../test/saml/idp.ts";
import { checkAppearance } from "./fixtures/appearance.ts";
import { expect, SOON, test } from "./fixtures/test.ts";

const ENTITY = "https://idp.test.example/metadata";

test("an owner adds a provider, tests it, and somebody new signs in through it", async ({ ana, browser }) => {
  const key = await makeIdpKey();
  const email = `sam-${Date.now()}@acme.example`;
  /** The provider's page, which signs in whoever presses its button. */
  const answer = (url: string) => {
    const { id, acsUrl } = requestIn(url);
    const audience = acsUrl.replace(/acs$/, "metadata");
    const said = { entityId: ENTITY, acsUrl, audience, inResponseTo: id, nameId: email };
    const xml = respond({ ...said, attributes: { email, displayName: "Sam" } }, key);
    return `<!doctype html><html lang="en"><title>Identity provider</title><h1>Identity provider</h1>
      <form method="post" action="${acsUrl}"><input type="hidden" name="SAMLResponse" value="${base64(xml)}"><button>Let me in</button></form></html>`;
  };
  await ana
    .context()
    .route("https://idp.test.example/**", (route) =>
      route.fulfill({ contentType: "text/html", body: answer(route.request().url()) }),
    );

  await ana.goto("/settings/saml");
  await expect(ana.getByText("No providers yet")).toBeVisible(SOON);
  await checkAppearance(ana, "no SAML providers");
  await ana.getByRole("button", { name: "Add a provider…" }).click();
  const dialog = ana.getByRole("dialog");
  await dialog.getByLabel("Set up from").selectOption("hand");
  await dialog.getByRole("button", { name: "Add the provider" }).click();
  await expect(dialog.locator("[aria-invalid]").first()).toBeFocused();
  await checkAppearance(ana, "a SAML provider with errors");
  await dialog.getByLabel("Name", { exact: true }).fill("Acme SSO");
  await dialog.getByLabel("Entity id (issuer)").fill(ENTITY);
  await dialog.getByLabel("Sign-in address (HTTP-Redirect)").fill("https://idp.test.example/sso");
  await dialog.getByLabel("Signing certificates").fill(key.certificate);
  await dialog.getByRole("switch", { name: "New people may sign in" }).click();
  await dialog.getByLabel("New people become").selectOption("viewer");
  await dialog.getByRole("button", { name: "Add the provider" }).click();
  await expect(ana.getByText(ENTITY)).toBeVisible(SOON);
  await expect(ana.getByText("Set up or changed by Ana.")).toBeVisible();
  // Not hers to confirm.
  await expect(ana.getByRole("button", { name: "Confirm Acme SSO as it is" })).toHaveCount(0);
  await checkAppearance(ana, "a SAML provider");

  const opened = ana.context().waitForEvent("page");
  await ana.getByRole("button", { name: "Test the sign-in with Acme SSO in a new window" }).click();
  const window = await opened;
  await window.getByRole("button", { name: "Let me in" }).click();
  await expect(window.getByText(email)).toBeVisible(SOON);
  await window.close();

  const context = await browser.newContext();
  await context.route("https://idp.test.example/**", (route) =>
    route.fulfill({ contentType: "text/html", body: answer(route.request().url()) }),
  );
  // Playwright meets no request that a redirect leads to: the page goes there by itself instead.
  await context.route("**/api/auth/saml/*/start*", async (route) => {
    const response = await route.fetch({ maxRedirects: 0 });
    expect(response.status()).toBe(303);
    const { location, ...headers } = response.headers();
    const to = location?.replaceAll("&", "&amp;");
    const body = `<!doctype html><meta http-equiv="refresh" content="0;url=${to}">`;
    await route.fulfill({ status: 200, headers: { ...headers, "content-type": "text/html" }, body });
  });
  const sam = await context.newPage();
  await sam.goto("/sign-in?organization=acme&callbackUrl=/tasks");
  await sam.getByRole("button", { name: "Sign in with Acme SSO" }).click();
  await sam.getByRole("button", { name: "Let me in" }).click();
  await expect(sam).toHaveURL(/\/tasks$/, SOON);
  await sam.goto("/settings/security");
  await expect(sam.getByText("You signed in through your organization.")).toBeVisible(SOON);
  await context.close();

  await ana.getByRole("button", { name: "More for Acme SSO" }).click();
  await ana.getByRole("menuitem", { name: "Remove…" }).click();
  await ana.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(ana.getByText("No providers yet")).toBeVisible(SOON);
});
