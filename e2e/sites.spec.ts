/** Questions that send a person to a site: nothing is fetched before consent, and only its owner may open it. */

import { checkAppearance } from "./fixtures/appearance.ts";
import { ask } from "./fixtures/questions.ts";
import { expect, requestPane, SOON, test } from "./fixtures/test.ts";

const SITE = "https://signin.bank.example";

test("a site is opened after consent, in a tab that learns nothing of this one", async ({ ana }) => {
  const visits: { url: string; referer: string | undefined }[] = [];
  await ana.context().route(`${SITE}/**`, (route) => {
    const request = route.request();
    visits.push({ url: request.url(), referer: request.headers().referer });
    return route.fulfill({ contentType: "text/html", body: "<script>name = String(opener)</script>Hello" });
  });
  const asked = await ask(ana, "bank_sign_in");
  await ana.goto(`/inbox/${asked.requestId}`);
  const pane = requestPane(ana);
  await expect(pane.getByText("signin.bank.example", { exact: true })).toBeVisible();
  const link = pane.getByRole("link", { name: "Open signin.bank.example" });
  await expect(link).toHaveCount(0);
  await expect(pane.getByRole("button", { name: "Continue the task" })).toBeDisabled();
  await checkAppearance(ana, "a site to open");
  expect(visits).toEqual([]);

  await pane.getByRole("checkbox", { name: "I know signin.bank.example and want to open it" }).focus();
  await ana.keyboard.press("Space");
  await expect(link).toHaveAttribute("rel", "noopener noreferrer");
  const [site] = await Promise.all([ana.context().waitForEvent("page"), link.press("Enter")]);
  await expect(site.getByText("Hello")).toBeVisible();
  expect(await site.evaluate(() => window.name)).toBe("null");
  expect(visits).toEqual([{ url: `${SITE}/authorize?flow=7f3a&scope=statements`, referer: undefined }]);
  await site.close();

  await expect(pane.getByRole("link", { name: "Open it again" })).toBeVisible();
  await checkAppearance(ana, "a site that was opened");
  await ana.reload();
  await expect(pane.getByRole("link", { name: "Open it again" })).toBeVisible();
  await pane.getByRole("button", { name: "Continue the task" }).click();
  await expect.poll(asked.receivedAnswer, SOON).toEqual({ action: "accept" });
});

test("nobody else's page has the address, whatever their role", async ({ ana, ola, ben, cleo }) => {
  const asked = await ask(ana, "bank_sign_in");
  for (const other of [ola, ben, cleo]) {
    const role = (await (await other.request.get("/api/v1/me")).json()).role;
    await other.goto(`/inbox/${asked.requestId}`);
    await expect(requestPane(other).getByText("signin.bank.example").first(), role).toBeVisible();
    expect(await other.content(), role).not.toContain("flow=7f3a");
    for (const path of [`/inbox/${asked.requestId}`, "/inbox", "/inbox?tab=all", "/tasks"]) {
      const page = await other.request.get(path);
      expect([role, path, page.status()]).toEqual([role, path, 200]);
      expect(await page.text(), `${role} ${path}`).not.toContain("flow=7f3a");
    }
  }
});

test("others than the owner of the connection see why they may not open it, and whom to ask", async ({
  ana,
  ben,
}) => {
  // Ana connected the server, so she opens the sites of its shared connection.
  const asked = await ask(ana, "bank_sign_in");
  await ben.goto(`/inbox/${asked.requestId}`);
  const pane = requestPane(ben);
  await expect(pane.getByText("Only Ana may open this site", { exact: true })).toBeVisible();
  await expect(pane.getByText("Ask Ana to open this request")).toBeVisible();
  // Neither on the screen nor in the page that the server sends.
  expect(await ben.content()).not.toContain("flow=7f3a");
  expect(await (await ben.request.get(`/inbox/${asked.requestId}`)).text()).not.toContain("flow=7f3a");
  await expect(pane.getByRole("link", { name: /Open/ })).toHaveCount(0);
  await checkAppearance(ben, "a site of another");
});
