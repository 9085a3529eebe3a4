import { escapeHtml } from "./untrusted-text.ts";

/**
 * Composes the mail to whoever forgot their password. `url`: the link that sets a new one; null: the account has no
 * password, and its person signs in otherwise. Nothing of who asked stands in it, and no name of anybody's choice.
 */
export function composePasswordReset({ url, appUrl }: { url: string | null; appUrl: string }): {
  subject: string;
  text: string;
  html: string;
} {
  const what = url
    ? "Somebody asked for a new password for your Intray account."
    : "Somebody asked for a new password for your Intray account, which has none.";
  const how = url
    ? "The link works once, for an hour. It ends your sessions everywhere, and leaves two-step sign-in on."
    : "Sign in as you did before: with single sign-on, or with a passkey.";
  const advice =
    "If this was not you, do nothing: nobody else has got this mail, and your account stays as it is.";
  const [address, label] = url ? [url, "Set a new password"] : [`${appUrl}/sign-in`, "Sign in"];
  return {
    subject: url ? "Set a new password for Intray" : "Signing in to Intray",
    text: [what, address, how, advice].join("\n\n"),
    html: [
      `<!doctype html><html lang="en"><body style="font:14px/1.5 sans-serif;color:#1d2529">`,
      `<p><strong>${escapeHtml(what)}</strong><br><a href="${escapeHtml(address)}">${label}</a></p>`,
      `<p>${escapeHtml(how)}</p><p style="color:#5b666c">${escapeHtml(advice)}</p></body></html>`,
    ].join("\n"),
  };
}
