/** Words for what happens to an account: its recent activity, notices and mails. */

import { browserWords } from "../../text/browser.ts";
import type { SecurityEvent } from "./account-schema.ts";

const WAYS: Record<string, string> = {
  password: "with a password",
  passkey: "with a passkey",
  oidc: "by single sign-on",
  saml: "by single sign-on",
};

const REFUSALS: Record<string, string> = {
  wrong_password: "wrong password",
  wrong_code: "wrong code",
  passkey_refused: "the passkey was not accepted",
  domain_not_allowed: "the provider gave an address of another domain",
  email_unverified: "the provider has not verified the address",
};

const LINKS: Record<string, string> = { mail: "a mailed link", admin: "an admin’s link" };

const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

/** `With a password`: how a session was opened. */
export function wayWords(method: string): string {
  const way = WAYS[method];
  return way ? way.charAt(0).toUpperCase() + way.slice(1) : "Signed in";
}

/** `Ana, Acme`: an admin and their organization. */
const by = (data: Record<string, unknown>): string =>
  [text(data.by), text(data.organization)].filter(Boolean).join(", ");

/** `what` is a sentence without a subject of its own; `about` has names and addresses, which are untrusted text. */
export function securityEventWords({ type, data, times }: Pick<SecurityEvent, "type" | "data" | "times">): {
  what: string;
  about: string;
  bad: boolean;
} {
  const name = text(data.name) ?? "";
  const from = text(data.address);
  switch (type) {
    case "session.opened":
    case "account.new_sign_in": {
      const isNew = data.new === true || type === "account.new_sign_in";
      const browser = isNew ? browserWords(text(data.browser)) : null;
      const about = [browser, from && `from ${from}`].filter(Boolean).join(" ");
      const way = WAYS[text(data.method) ?? ""];
      const what = isNew ? "Signed in from a new place" : "Signed in";
      return { what: way ? `${what}, ${way}` : what, about, bad: isNew };
    }
    case "session.ended":
      if (text(data.provider)) return { what: "Signed out by the provider", about: "", bad: false };
      return {
        what: Number(data.count) > 1 ? `Ended ${data.count} sessions` : "Signed out",
        about: "",
        bad: false,
      };
    case "session.refused": {
      const why = REFUSALS[text(data.reason) ?? ""] ?? "refused";
      return { what: `Sign-in failed: ${why}${times > 1 ? `, ${times} times` : ""}`, about: "", bad: true };
    }
    case "account.password_changed":
      return {
        what: data.byLink
          ? `Password set by ${LINKS[text(data.source) ?? ""] ?? "a link"}`
          : "Password changed",
        about: "",
        bad: data.source === "admin",
      };
    case "account.password_link_made":
      return { what: "An admin made a link that sets your password", about: by(data), bad: true };
    case "account.service_account_given":
      return { what: `You are responsible for the service account ${name} now`, about: by(data), bad: true };
    case "account.sessions_ended": {
      const count = Number(data.count);
      return {
        what: count > 1 ? `An admin ended ${count} of your sessions` : "An admin ended one of your sessions",
        about: by(data),
        bad: true,
      };
    }
    case "account.identity_linked":
      return { what: "Sign-in provider linked", about: text(data.issuer) ?? "", bad: true };
    case "account.second_factor_added":
      return { what: "Two-step sign-in turned on", about: "", bad: false };
    case "account.second_factor_removed":
      return {
        what: data.byOperator ? "Two-step sign-in turned off by the operator" : "Two-step sign-in turned off",
        about: "",
        bad: true,
      };
    case "account.recovery_code_used":
      return { what: `Recovery code used, ${Number(data.left) || 0} left`, about: "", bad: true };
    case "account.recovery_codes_replaced":
      return { what: "Recovery codes replaced", about: "", bad: false };
    case "account.passkey_added":
      return { what: "Passkey added", about: name, bad: false };
    case "account.passkey_removed":
      return { what: "Passkey removed", about: name, bad: true };
    default:
      return { what: "Your account changed", about: "", bad: false };
  }
}
