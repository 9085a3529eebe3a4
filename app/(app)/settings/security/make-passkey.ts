import { startRegistration, WebAuthnError } from "@simplewebauthn/browser";
import type { PasskeyOptions } from "@/lib/accounts/schema.ts";
import { ApiError } from "@/lib/api-client/base/client.ts";

/** Creates a passkey in the browser. Throws an ApiError with a sentence on failure. */
export async function makePasskey(options: PasskeyOptions["options"]) {
  const optionsJSON = options as unknown as Parameters<typeof startRegistration>[0]["optionsJSON"];
  try {
    return await startRegistration({ optionsJSON });
  } catch (error) {
    const known =
      error instanceof WebAuthnError && error.code === "ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED";
    throw new ApiError(0, {
      code: "passkey_not_made",
      title: known
        ? "This device has a passkey for your account already"
        : "No passkey was made: the browser's dialog was closed, or it can keep none",
    });
  }
}
