import { readFile } from "node:fs/promises";
import { isLoopback } from "../../../lib/base/network/address.ts";
import { createNetwork } from "../../../lib/base/network/network.ts";
import { type Verdict, verifyReceipt } from "../../../lib/requests/receipts/verify.ts";
import { wordsOf } from "../../../lib/requests/receipts/words.ts";
import { CommandError, read, UsageError } from "../usage.ts";

const WAIT_MS = 15_000;

/**
 * Checks a receipt against the public keys in a file, or of an Intray. Needs no database and no settings. Returns in words what
 * holds and what the receipt says; fails if something does not hold.
 */
export async function verifyReceiptCommand(args: string[]): Promise<string> {
  const { values, words } = read(args, ["keys", "url"], 1);
  const path = words[0] ?? "";
  if (values.keys !== undefined && values.url !== undefined)
    throw new UsageError("Give --keys or --url, not both.");
  const text = (await textOf(path)).trim();
  const verdict = await verifyReceipt(text, await keysFrom(values));
  const result = resultOf(verdict);
  if (!verdict.holds) throw new CommandError(`${path} is not a valid receipt.`, { result });
  return result;
}

function resultOf({ findings, receipt }: Verdict): string {
  const last = receipt?.history.at(-1);
  return [
    ...findings.map(({ holds, words }) => `${holds ? "OK" : "FAILED"}: ${words}`),
    ...(last
      ? [
          `Not checked: whether the history still has these lines. Check it with \`events verify --org … --anchor ${last.seq}:${last.hash}\`, or with --file in place of --org for an export.`,
        ]
      : []),
    ...(receipt ? ["", ...wordsOf(receipt)] : []),
  ].join("\n");
}

/** The keys in a receipt's own name prove nothing, so that somebody has to say whose keys count. */
async function keysFrom({ keys, url }: { keys?: string; url?: string }): Promise<unknown> {
  if (keys !== undefined) return parsed(keys, await textOf(keys));
  if (url !== undefined) return fetchKeys(url);
  throw new CommandError(
    "Nothing was checked: there are no keys. Give --keys with a saved /.well-known/jwks.json, or --url with the address of the Intray that you trust.",
  );
}

async function fetchKeys(given: string): Promise<unknown> {
  const base = URL.parse(given);
  if (!base || (base.protocol !== "https:" && !isLoopback(base.hostname)))
    throw new UsageError("--url is the address of an Intray, with https.");
  const address = new URL("/.well-known/jwks.json", base);
  const network = createNetwork({ allowHosts: ["0.0.0.0/0", "::/0"], denyPorts: [] });
  try {
    const response = await network.fetch(address, { signal: AbortSignal.timeout(WAIT_MS) });
    if (!response.ok) throw new CommandError(`${address} answered ${response.status}, and no keys.`);
    return parsed(address.href, await response.text());
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${address} can't be reached.`, { cause: error });
  } finally {
    await network.close();
  }
}

function parsed(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandError(`${name} is not a list of keys: it is not JSON.`);
  }
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code ? new CommandError(`${path}: ${code}.`, { cause: error }) : error;
  }
}
