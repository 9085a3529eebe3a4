import { bareText } from "../../text/foreign/hidden.ts";

/** Final words of names for secrets, which must never be typed into a form that others read. */
const SECRET =
  /(^| )(password|passwd|passphrase|passcode|pwd|pin|pin (code|number)|secret|(secret|private|signing|encryption|access|api) ?key|apikey|(access|api|auth|bearer|refresh|session|security|personal access|secret)? ?token|credentials?|cvv2?|cvc2?|card (number|security code)|security code|one time (code|password)|otp|totp|2fa code|mfa code|verification code|seed phrase|recovery (code|phrase)|social security number|ssn)$/;

/**
 * Returns why a field asks for a secret, or null. Both eras forbid secrets in forms; this check finds
 * violations by a field's name, title and format. Choices and yes-or-no fields cannot hold a secret; every other type is checked.
 */
export function secretIn(
  name: string,
  property: {
    type: string;
    title?: string;
    format?: string;
    writeOnly?: boolean;
    enum?: unknown;
    oneOf?: unknown;
  },
): string | null {
  const isChosen = property.type === "boolean" || property.type === "array";
  if (isChosen || property.enum !== undefined || property.oneOf !== undefined) return null;
  const label = property.title?.trim() || name;
  const found =
    property.format === "password" ||
    property.writeOnly ||
    // A title may be that of a property and of what it refers to.
    [name, label, ...label.split(" · ")].some((text) => SECRET.test(words(text)));
  return found ? `“${label}” looks like a secret, and secrets do not belong in a form` : null;
}

/** Normalizes `apiKey`, `API-key` and `api_key:` to `api key`, without hidden characters. */
function words(text: string): string {
  return bareText(text)
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/\([^()]*\)/g, " ")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, " ")
    .trim();
}
