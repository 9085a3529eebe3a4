import { z } from "zod";
import { type OfficeTool, text } from "../tool.ts";

const schema = z.object({
  supplier_id: text("Supplier number", 60),
  supplier: text("Supplier"),
  bank: text("Bank"),
  iban: text("IBAN", 42),
  received_by: text("Received by"),
});

/** A URL question: account numbers are checked on the server's own page, not in a form of the client. */
export const confirmBankDetails: OfficeTool<z.infer<typeof schema>> = {
  name: "confirm_bank_details",
  title: "Confirm new bank details",
  description:
    "Asks a person to check a supplier's new bank details on a page of this server, and changes the supplier only then.",
  arguments: schema,
  saying: {
    before: "Looking up the supplier",
    asking: "Waiting for the bank details to be confirmed",
    after: "Changing the supplier",
  },
  question: {
    mode: "url",
    message: ({ supplier_id, supplier }) =>
      `${supplier} (${supplier_id}) has sent new bank details. Check them against the letter on file and confirm them on the page.`,
    page: ({ supplier_id, supplier, bank, iban, received_by }) => ({
      title: `New bank details of ${supplier}`,
      lead: "Compare them with the letter on file. Payments go to this account from now on.",
      facts: [
        ["Supplier", `${supplier} (${supplier_id})`],
        ["Bank", bank],
        ["IBAN", iban],
        ["Received by", received_by],
      ],
      choices: [
        {
          label: "The details are right",
          ending: { status: "Confirmed", text: `${supplier_id}: the new bank details are in use.` },
        },
        {
          label: "They are not right",
          ending: { status: "Rejected", text: `${supplier_id}: the old bank details stay in use.` },
        },
      ],
    }),
  },
};
