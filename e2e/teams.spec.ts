/** Teams, from its set-up to a decision in it: with a local Microsoft, and an Intray of its own that knows where that is. */
import { type Browser, expect, type Page } from "@playwright/test";
import { textsOf } from "../test/servers/teams/cards.ts";
import { personOf, SECRETS, startTeams, type TeamsServer } from "../test/servers/teams/teams.ts";
import { checkAppearance } from "./fixtures/appearance.ts";
import { type Intray, startIntray } from "./fixtures/intray.ts";
import { signIn, test } from "./fixtures/test.ts";

const LONG = { timeout: 90_000 };
let teams: TeamsServer;
let intray: Intray;
test.beforeAll(async () => {
  teams = await startTeams();
  intray = await startIntray({ INTRAY_TEAMS_CLOUD: teams.url, INTRAY_ALLOW_HOSTS: teams.hostAndPort });
});
test.afterAll(async () => {
  await intray?.stop();
  await teams?.close();
});

async function comeIn(browser: Browser, person: Parameters<typeof signIn>[1]): Promise<Page> {
  const page = await (await browser.newContext({ baseURL: intray.url })).newPage();
  await signIn(page, person);
  return page;
}

/** Sends what Teams sends of Ben's conversation with the bot. */
async function send(organizationId: string, more: object): Promise<Response> {
  const activity = {
    id: `f:${crypto.randomUUID()}`,
    channelId: "msteams",
    serviceUrl: `${teams.url}/teams`,
    from: { id: "29:1", aadObjectId: personOf(1) },
    conversation: { id: "a:1", conversationType: "personal" },
    channelData: { tenant: { id: SECRETS.tenantId } },
    ...more,
  };
  return fetch(`${intray.url}/api/v1/teams/${organizationId}/messages`, {
    method: "POST",
    body: JSON.stringify(activity),
    headers: { authorization: await teams.sign(), "content-type": "application/json" },
  });
}

test("an admin connects Teams, a member links an account, decides a request there, and sees one decided elsewhere", async ({
  browser,
}) => {
  const ana = await comeIn(browser, "Ana");
  await ana.goto("/settings/teams");
  await expect(ana.getByText("Teams is not set up.")).toBeVisible();
  await expect(ana.getByLabel("Messaging endpoint of the bot")).toHaveValue(
    /\/api\/v1\/teams\/.+\/messages$/,
  );
  await ana.getByRole("button", { name: "Connect" }).click();
  await expect(ana.getByLabel("Application (client) ID")).toBeFocused();
  await checkAppearance(ana, "Teams with errors");
  await ana.getByLabel("Application (client) ID").fill(SECRETS.appId);
  await ana.getByLabel("Directory (tenant) ID").fill(SECRETS.tenantId);
  await ana.getByLabel("Client secret").fill("another secret");
  await ana.getByRole("button", { name: "Connect" }).click();
  await expect(ana.getByText("Microsoft does not accept this: invalid_client.")).toBeVisible();
  await ana.getByLabel("Client secret").fill(SECRETS.clientSecret);
  await ana.getByRole("button", { name: "Connect" }).click();
  await expect(ana.getByRole("link", { name: "Download the package" })).toBeVisible(LONG);
  await ana.getByRole("switch", { name: "Allow the text of questions" }).click();
  await expect(ana.getByRole("switch", { name: "Allow the text of questions" })).toBeChecked(LONG);
  await checkAppearance(ana, "Teams set up");
  const me = await (await ana.request.get("/api/v1/me")).json();

  const ben = await comeIn(browser, "Ben");
  await ben.goto("/settings/channels");
  await ben.getByRole("button", { name: "Link Teams account" }).click();
  await expect(ben.getByText("Ben at Work")).toBeVisible(LONG);
  await expect(ben.getByText("Add Intray in Teams")).toBeVisible();
  await checkAppearance(ben, "a linked Teams account without the app");
  expect((await send(me.organization.id, { type: "installationUpdate", action: "add" })).status).toBe(200);
  await ben.getByRole("button", { name: "Send me a test in Teams" }).click();
  await expect(ben.getByText(/The test was delivered/)).toBeVisible(LONG);

  const ask = async (message: string) => {
    const asked = await ana.request.post("/api/v1/requests", {
      data: { kind: "approval", message },
      headers: { origin: intray.url },
    });
    expect(asked.status(), await asked.text()).toBe(201);
    const told = () => teams.messages.findLast(({ card }) => JSON.stringify(card).includes(message));
    await expect.poll(told, LONG).toBeDefined();
    return told;
  };
  const first = await ask("Deploy 4.2");
  expect(textsOf(first()!)).toEqual(expect.arrayContaining(["Approve", "Decline…", "Open in Intray"]));
  const button = first()?.card.actions.find(({ title }: { title: string }) => title === "Approve");
  const pressed = await send(me.organization.id, {
    ...{ type: "invoke", name: "adaptiveCard/action", replyToId: first()?.id },
    value: { action: { type: "Action.Execute", verb: button.verb, data: button.data } },
  });
  expect(await pressed.json()).toMatchObject({ statusCode: 200 });
  await expect.poll(() => textsOf(first()!)[0], LONG).toBe("Approved by Ben");

  const second = await ask("Deploy 4.3");
  const { request, questionHash } = second()!.card.actions[0].data.press;
  const answered = await ben.request.post(`/api/v1/input-requests/${request}/answer`, {
    data: { action: "decline", questionHash },
    headers: { origin: intray.url },
  });
  expect(answered.status(), await answered.text()).toBe(202);
  await expect.poll(() => textsOf(second()!)[0], LONG).toMatch(/^(Declined|Rejected) by Ben$/);

  await ben.goto("/settings/channels");
  await ben.getByRole("button", { name: "Unlink Teams account" }).click();
  await expect(ben.getByText("Not linked")).toBeVisible();
  await ana.goto("/settings/teams");
  await ana.getByRole("button", { name: "Remove Teams…" }).click();
  await ana.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(ana.getByText("Teams is not set up.")).toBeVisible();
});
