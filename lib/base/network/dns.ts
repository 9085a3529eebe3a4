/** Reads TXT records. Asks the resolvers of the system, or those that the operator names; no address that a tenant chose. */
import { Resolver } from "node:dns/promises";

/** The texts of a name; none where the name or a record is not there. Throws NameError where DNS did not answer. */
export type FindTexts = (name: string) => Promise<string[]>;

/** DNS did not say whether there is a record. */
export class NameError extends Error {
  override name = "NameError";
}

/** One answer is waited for this long, and asked for twice. */
const TIMEOUT_MS = 2_000;
const TRIES = 2;
/** The most that is waited for, whatever the resolvers do. */
const MOST_MS = 8_000;

/** `servers`: addresses with or without a port; empty: the system's. */
export function textFinder(servers: readonly string[]): FindTexts {
  return async (name) => {
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
    if (servers.length > 0) resolver.setServers(servers);
    const timer = setTimeout(() => resolver.cancel(), MOST_MS);
    try {
      const records = await resolver.resolveTxt(name);
      // A long text comes in pieces.
      return records.map((pieces) => pieces.join(""));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOTFOUND" || code === "ENODATA") return [];
      throw new NameError(code ?? "unknown", { cause: error });
    } finally {
      clearTimeout(timer);
    }
  };
}
