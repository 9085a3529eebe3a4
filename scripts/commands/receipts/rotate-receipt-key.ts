import { createSeal } from "../../../lib/base/seal.ts";
import { rotateReceiptKey } from "../../../lib/requests/receipts/receipt-writes.ts";
import { read } from "../usage.ts";
import { sealingKeys, withOwnerDatabase } from "../with-database.ts";

/** Signs receipts with a new key from now on; prints its id. The old one's public half stays in the list. */
export async function rotateReceiptKeyCommand(args: string[]): Promise<string> {
  read(args, []);
  return withOwnerDatabase((db) => rotateReceiptKey(db, createSeal(sealingKeys())));
}
