/**
 * The policy that docs/governance.md shows, with the people that it names: two of Finance, one of whom is away, whom a stage
 * escalates to, and the CFO with a passkey. What each of them did is in the receipt, which the command line checks.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { checkAppearance } from "./fixtures/appearance.ts";
import { command } from "./fixtures/intray.ts";
import { newMember, newOwner, PASSWORD } from "./fixtures/organizations.ts";
import { savePolicy } from "./fixtures/policy.ts";
import {
  apiOf,
  expect,
  invoiceServer,
  openRequest,
  readRequest,
  requestPane,
  SOON,
  startInvoice,
  test,
} from "./fixtures/test.ts";

const ORGANIZATION = "georgia";
const votes = (page: Page) => requestPane(page).getByRole("region", { name: "Votes" });
const addressOf = (name: string) => `${name.toLowerCase()}@${ORGANIZATION}.example`;

/** Lets the person sign in with a passkey from now on, and does. */
async function withPasskey(page: Page): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await page.goto("/settings/security");
  await page.getByRole("button", { name: "Add a passkey…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Laptop");
  await dialog.getByLabel("Your password").fill(PASSWORD);
  await dialog.getByRole("button", { name: "Add passkey" }).click();
  await expect(page.getByRole("list", { name: "Passkeys" })).toContainText("Laptop", SOON);
  await page.context().clearCookies();
  await page.goto("/sign-in");
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await expect(page.getByRole("navigation", { name: "Main" })).toBeVisible(SOON);
}

async function decide(
  page: Page,
  requestId: string,
  button: "Approve" | "Reject",
  reason = "",
): Promise<void> {
  await page.goto(`/inbox/${requestId}`);
  const pane = requestPane(page);
  if (reason) await pane.getByRole("textbox", { name: /comment/i }).fill(reason);
  await pane.getByRole("button", { name: button, exact: true }).click();
}

/** Waits until a request has so many votes: the inbox goes on to the next request after each. */
const haveVoted = (page: Page, requestId: string, count: number) =>
  expect
    .poll(async () => {
      const { approval } = await readRequest(page, requestId);
      return approval?.stages.flatMap((stage) => stage.votes).length;
    }, SOON)
    .toBe(count);

/** The receipt, once it is settled, as the command line reads it. Fails where something does not hold. */
async function receiptOf(page: Page, requestId: string): Promise<string> {
  await expect.poll(async () => (await readRequest(page, requestId)).state, SOON).toBe("settled");
  const response = await page.request.get(`/api/v1/input-requests/${requestId}/receipt`);
  expect(response.status()).toBe(200);
  const folder = mkdtempSync(join(tmpdir(), "intray-receipt-"));
  const file = join(folder, "receipt.jws");
  writeFileSync(file, await response.text());
  const said = await command("receipt", "verify", file, "--url", process.env.E2E_URL ?? "");
  rmSync(folder, { recursive: true });
  return said;
}

test("two of Finance and the CFO agree, also for who is away and by whom is asked too, and the receipts say so", async ({
  browser,
}) => {
  const rita = await newOwner(browser, "Rita", ORGANIZATION);
  const member = (name: string) => newMember(browser, name, ORGANIZATION, "approver");
  const [bea, dora, emil, gil, fay] = [
    await member("Bea"),
    await member("Dora"),
    await member("Emil"),
    await member("Gil"),
    await member("Fay"),
  ];
  await withPasskey(fay);
  const api = apiOf(rita);
  const server = { name: "Finance ERP", url: `${invoiceServer()}/mcp` };
  expect((await api.write("POST", "/servers", server)).status()).toBe(201);
  const expire = JSON.parse('{ "after": "30d", "then": "leave" }') as object;
  const policy = {
    version: 1,
    groups: { finance: [addressOf("Bea"), addressOf("Dora")], cfo: [addressOf("Fay")] },
    rules: [
      {
        name: "Large invoices",
        when: 'server.name == "Finance ERP" && tool == "process_invoice" && request.amount != null && request.amount >= 5000.0',
        stages: [
          {
            name: "Finance",
            approvers: { groups: ["finance"] },
            need: 2,
            rejections: 1,
            remind: ["4h", "1d"],
            escalate: { after: "1m!", to: { people: [addressOf("Gil")] } },
          },
          { name: "CFO", approvers: { groups: ["cfo"] }, stepUp: true, requireReason: ["reject"] },
        ],
        requester: "excluded",
        due: "3d",
        expire,
      },
    ],
  };
  await savePolicy(rita, policy);

  const asked = async () => {
    const { taskId } = await startInvoice(rita, { sample: "large" });
    return openRequest(rita, taskId);
  };
  // The first waits for its escalation while the second is decided.
  const escalated = await asked();
  await decide(bea, escalated, "Approve");
  await haveVoted(rita, escalated, 1);
  const stoodIn = await asked();
  await rita.goto(`/inbox/${stoodIn}`);
  await expect(requestPane(rita)).toContainText("You asked for this. Others decide.", SOON);
  await gil.goto(`/inbox/${stoodIn}`);
  await expect(requestPane(gil)).toContainText("You have no vote there", SOON);

  const { user } = await apiOf(emil).get<{ user: { id: string } }>("/me");
  const until = new Date(Date.now() + 24 * 3600_000).toISOString();
  const away = { from: new Date(Date.now() - 60_000).toISOString(), until, delegateUserId: user.id };
  const left = await apiOf(dora).write("PUT", "/me/away", away);
  expect(left.status(), await left.text()).toBe(200);
  await decide(bea, stoodIn, "Approve");
  await haveVoted(rita, stoodIn, 1);
  await emil.goto(`/inbox/${stoodIn}`);
  await expect(votes(emil)).toContainText("You vote for Dora", SOON);
  await decide(emil, stoodIn, "Approve");
  await haveVoted(rita, stoodIn, 2);
  expect((await readRequest(rita, stoodIn)).answer).toBeNull();
  await decide(fay, stoodIn, "Approve");
  const first = await receiptOf(rita, stoodIn);
  expect(first).not.toContain("FAILED");
  expect(first).toMatch(/rule “Large invoices” \(policy version 1\)/);
  expect(first).toMatch(/Emil for Dora agreed in the stage Finance/);
  expect(first).toMatch(/Fay agreed in the stage CFO at .*passkey/);
  expect(first).toContain("The server replied that it has the answer.");

  await gil.goto(`/inbox/${escalated}`);
  await expect(requestPane(gil)).not.toContainText("You have no vote there", { timeout: 120_000 });
  await decide(gil, escalated, "Approve");
  await haveVoted(rita, escalated, 2);
  await fay.goto(`/inbox/${escalated}`);
  await expect(votes(fay)).toContainText("CFO");
  await fay.keyboard.press("d");
  const declining = fay.getByRole("dialog");
  await expect(declining).toContainText("· required");
  const decline = declining.getByRole("button", { name: "Decline", exact: true });
  await expect(decline).toBeDisabled();
  await declining.getByRole("textbox", { name: "Reason" }).fill("Ordered twice");
  await expect(decline).toBeEnabled();
  await fay.keyboard.press("Escape");
  await expect(fay.getByRole("dialog")).toHaveCount(0);
  // The no of the form asks for the reason, too.
  await fay.keyboard.press("r");
  const rejecting = fay.getByRole("dialog", { name: /^Reject / });
  const reject = rejecting.getByRole("button", { name: "Reject with this reason" });
  await expect(reject).toBeDisabled();
  await checkAppearance(fay, "a rejection that needs a reason");
  await fay.keyboard.press("Escape");
  await decide(fay, escalated, "Reject", "Ordered twice");
  const second = await receiptOf(rita, escalated);
  expect(second).not.toContain("FAILED");
  expect(second).toMatch(/Gil agreed in the stage Finance/);
  expect(second).toMatch(/Fay rejected in the stage CFO/);
  for (const page of [rita, bea, dora, emil, gil, fay]) await page.context().close();
});
