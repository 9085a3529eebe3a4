import { makePasswordLinkFor } from "../../lib/people/accounts/password.ts";
import { passwordLinkUrl } from "../../lib/people/members/set-password.ts";
import { PASSWORD_LINK_LIFETIME_MS } from "../../lib/web/tunables.ts";
import { readEmail } from "./create-user.ts";
import { CommandError, read } from "./usage.ts";
import { withOwnerDatabase } from "./with-database.ts";

/** Returns the address at which a person who has an account sets a new password, once, within a week. */
export async function createPasswordLink(args: string[]): Promise<string> {
  const { words } = read(args, [], 1);
  const email = readEmail(words[0], "The e-mail address");
  return withOwnerDatabase(async (db) => {
    const token = await makePasswordLinkFor(db, email, PASSWORD_LINK_LIFETIME_MS);
    if (token === null) throw new CommandError(`${email} has no account.`);
    return passwordLinkUrl(token);
  });
}
