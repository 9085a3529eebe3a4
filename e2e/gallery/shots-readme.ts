/** The pictures of the README. */
import type { Page } from "@playwright/test";
import { fillInbox } from "./fill.ts";
import type { Scene } from "./scene.ts";
import { DARK, LIGHT, ON_PHONE, type Shot } from "./shot.ts";
import { openInbox } from "./shots-request.ts";

let invoice: string | null = null;

async function openInvoice(page: Page, scene: Scene): Promise<void> {
  await fillInbox(scene);
  invoice ??= (await scene.invoice("acme", "INV-100")).requestId;
  await openInbox(page, invoice, "?tab=all");
}

export const README: Shot[] = [
  { name: "inbox", person: "Ben", looks: [{ ...LIGHT, name: "" }], open: openInvoice },
  { name: "inbox-dark", person: "Ben", looks: [{ ...DARK, name: "" }], open: openInvoice },
  { name: "request-phone", person: "Ben", looks: [{ ...ON_PHONE, name: "" }], open: openInvoice },
];
