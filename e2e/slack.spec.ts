/** Slack, from its set-up to a decision in it: with a local Slack, and an Intray of its own that knows where that is. */
import { type Browser, expect, type Page } from "@playwright/test";
import { SECRETS, type SlackServer, signed, startSlack, textsOf } from "../test/servers/slack/slack.ts";
import { checkAppearance } from "./fixtures/appearance.ts";
import { type Intray, startIntray } from "./fixtures/intray.ts";
import { signIn, test } from "./fixtures/test.ts";

const LONG = { timeout: 90_000 };
let slack: SlackServer;
let intray: Intray;
test.beforeAll(async () => {
  slack = await startSlack();
  intray = await startIntray({ INTRAY_SLACK_URL: slack.url, INTRAY_ALLOW_HOSTS: slack.hostAndPort });
});
test.afterAll(async () => {
  await intray?.stop();
  await slack?.close();
});

async function comeIn(browser: Browser, person: Parameters<typeof signIn>[1]): Promise<Page> {
  const page = await (await browser.newContext({ baseURL: intray.url })).newPage();
  await signIn(page, person);
  return page;
}

/** Sends what Slack sends when somebody presses a button of the newest message. */
async function press(organizationId: string, label: string): Promise<number> {
  const message = slack.messages.at(-1);
  const button = message?.blocks
    .at(-1)
    .elements.find((each: { text: { text: string } }) => each.text.text === label);
  const payload = {
    type: "block_actions",
    trigger_id: `trigger ${Date.now()}`,
    team: { id: "T1" },
    user: { id: "U1" },
    container: { type: "message", message_ts: message?.ts, channel_id: message?.channel },
    actions: [{ action_id: button.action_id, value: button.value }],
  };
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const path = `${intray.url}/api/v1/slack/${organizationId}/interactions`;
  return (await fetch(path, { method: "POST", body, headers: signed(body) })).status;
}

test("an admin connects Slack, a member links an account, and decides a request there", async ({
  browser,
}) => {
  const ana = await comeIn(browser, "Ana");
  await ana.goto("/settings/slack");
  await expect(ana.getByText("Slack is not set up.")).toBeVisible();
  await expect(ana.getByLabel("Manifest")).toHaveValue(/"request_url"/);
  await ana.getByRole("button", { name: "Connect" }).click();
  await expect(ana.getByLabel("Bot User OAuth Token")).toBeFocused();
  await checkAppearance(ana, "Slack with errors");
  await ana.getByLabel("Bot User OAuth Token").fill("xoxb-another-token");
  await ana.getByLabel("Client ID").fill(SECRETS.clientId);
  await ana.getByLabel("Client Secret").fill(SECRETS.clientSecret);
  await ana.getByLabel("Signing Secret").fill(SECRETS.signingSecret);
  await ana.getByRole("button", { name: "Connect" }).click();
  await expect(ana.getByText("Slack does not accept this token: invalid_auth.")).toBeVisible();
  await ana.getByLabel("Bot User OAuth Token").fill(SECRETS.botToken);
  await ana.getByRole("button", { name: "Connect" }).click();
  await expect(ana.getByText("Acme Workspace", { exact: true })).toBeVisible(LONG);
  await ana.getByRole("switch", { name: "Allow the text of questions" }).click();
  await expect(ana.getByRole("switch", { name: "Allow the text of questions" })).toBeChecked(LONG);
  await checkAppearance(ana, "Slack set up");

  const ben = await comeIn(browser, "Ben");
  await ben.goto("/settings/channels");
  await ben.getByRole("button", { name: "Link Slack account" }).click();
  await expect(ben.getByText("Ben at Slack")).toBeVisible(LONG);
  await ben.getByRole("button", { name: "Send me a test" }).click();
  await expect(ben.getByText(/The test was delivered/)).toBeVisible(LONG);
  await checkAppearance(ben, "a linked Slack account");

  const me = await (await ana.request.get("/api/v1/me")).json();
  const asked = await ana.request.post("/api/v1/requests", {
    data: { kind: "approval", message: "Deploy 4.2" },
    headers: { origin: intray.url },
  });
  expect(asked.status(), await asked.text()).toBe(201);
  const waits = () =>
    slack.messages.findLast((message) => JSON.stringify(message.blocks).includes("Deploy 4.2"));
  await expect.poll(waits, LONG).toBeDefined();
  expect(textsOf(waits()!)).toEqual(expect.arrayContaining(["Approve", "Decline…", "Open in Intray"]));
  expect(await press(me.organization.id, "Approve")).toBe(200);
  await expect.poll(() => textsOf(waits()!)[0], LONG).toBe("Approved by Ben");
  await ben.goto("/settings/channels");
  await ben.getByRole("button", { name: "Unlink" }).click();
  await expect(ben.getByText("Not linked")).toBeVisible();
  await ana.goto("/settings/slack");
  await ana.getByRole("button", { name: "Remove Slack…" }).click();
  await ana.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(ana.getByText("Slack is not set up.")).toBeVisible();
});
