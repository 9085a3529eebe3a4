import { formatDuration } from "@/lib/text/duration.ts";

/** Sentences for failed sign-ins, by the error code in the URL or in the response. */
const SENTENCES: Record<string, string> = {
  CredentialsSignin: "E-mail or password is wrong.",
  unavailable: "Intray cannot sign you in just now. Try again in a moment.",
  unreachable: "Intray can’t be reached. Try again.",
  wrong_code: "The code is wrong, or was used before. Wait for the next one.",
  sign_in_again: "That took too long, or too many tries. Start again with your password.",
  passkey_refused: "The passkey was not accepted. Try again, or sign in another way.",
  passkey_closed: "No passkey was given.",
  OAuthSignin: "The sign-in provider can’t be reached. Try again.",
  OAuthCallback: "What the sign-in provider answered could not be trusted. Try again.",
  Callback: "The sign-in provider did not let you in. Try again.",
  provider_failed: "What the sign-in provider answered could not be trusted. Tell whoever runs Intray.",
  saml_declined: "Your organization’s sign-in provider did not let you in.",
  saml_expired: "That took too long. Try again.",
  saml_not_started: "That sign-in is over, or was not begun here. Try again.",
  saml_other_browser: "That sign-in was begun in another browser, or took too long. Try again.",
  saml_used: "That sign-in was used already. Try again.",
  saml_provider_started: "Begin here: your organization does not let its provider begin a sign-in.",
  saml_session_over: "Your session at the sign-in provider is over. Sign in there anew.",
  saml_no_email:
    "Your organization’s sign-in provider does not say what your e-mail address is. Tell an admin.",
  saml_no_account: "Your organization has no place for you here yet. Ask an admin for an invitation.",
  saml_account_exists:
    "There is an account with your address already. Sign in to it as you did before, then link your organization’s sign-in under Settings, Security.",
  saml_suspended: "Your organization has suspended your membership. Ask an admin.",
  no_account: "You have no account here yet. Ask an admin of your organization for an invitation.",
  account_exists: "There is an account with your address already. Sign in to it as you did before.",
  email_unverified: "The sign-in provider has not verified your e-mail address. Verify it there first.",
  domain_not_allowed: "Addresses of your domain may not sign in here.",
  no_organization: "Your account is in no organization. Ask an admin of one for an invitation.",
};

export function sentenceOf(code: string): string {
  const [, seconds] = /^throttled(?::(\d{1,5}))?$/.exec(code) ?? [];
  if (code.startsWith("throttled")) return pauseSentence(Number(seconds ?? 60));
  const known = Object.hasOwn(SENTENCES, code) ? SENTENCES[code] : undefined;
  if (known === undefined && code.startsWith("saml_"))
    return "What your organization’s sign-in provider answered could not be trusted. Try again, or tell an admin of it.";
  return known ?? "Signing in did not work. Try again.";
}

/** `seconds`: an hour at most, as the longest pause is. */
function pauseSentence(seconds: number): string {
  const wait = Math.min(Math.max(seconds, 1), 3600);
  const words = formatDuration((wait > 60 ? Math.ceil(wait / 60) * 60 : wait) * 1000);
  return `Too many tries. Try again in ${words}, sign in another way, or use a browser that you signed in with before.`;
}
