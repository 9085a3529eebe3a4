/** Words for SAML sign-ins and their faults. */

const FAULTS: Record<string, string> = {
  saml_malformed:
    "The response is not one that Intray reads: two assertions, a declaration, or a broken form.",
  saml_declined: "The identity provider refused the sign-in.",
  saml_algorithm:
    "The response uses an algorithm that is broken, such as SHA-1. Choose SHA-256 at the provider.",
  saml_undecryptable: "The encrypted assertion was not made for this certificate of Intray’s.",
  saml_signature:
    "The assertion is not signed, or by another key. Have assertions signed, and check the certificate.",
  saml_issuer: "Another identity provider made the response. Check the entity id.",
  saml_destination: "The response is for another address. Check the ACS URL at the provider.",
  saml_recipient: "The assertion is for another address. Check the ACS URL at the provider.",
  saml_audience: "The assertion is for another audience. Check Intray’s entity id at the provider.",
  saml_expired: "The assertion is too old. Check the clocks.",
  saml_not_yet_valid: "The assertion’s time is in the future. Check the clocks.",
  saml_no_subject: "The assertion names nobody, or in a way that Intray can’t read.",
  saml_transient_subject: "The provider sends another name id each time. Choose a persistent one.",
  saml_no_authentication: "The assertion does not say that anybody signed in.",
  saml_provider_started: "The provider began the sign-in, which is not allowed here.",
  saml_session_over: "The session at the provider is over.",
  saml_not_started: "The response answers no request of Intray’s, or came too late.",
  saml_used: "The response was used before.",
  saml_linked: "Your account is linked. You can sign in through your organization now.",
  saml_linked_to_other: "Your account at the provider is linked to another account here.",
  saml_account_unproven:
    "Nobody has confirmed yet that your address is yours, so your account can’t be linked.",
  saml_no_account: "You are no longer a member of this organization.",
};

/** A sentence for the code of a fault. */
export function samlFault(code: string): string {
  return FAULTS[code] ?? "The sign-in did not work. Try again.";
}
