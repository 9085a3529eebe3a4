"use client";

import { signIn } from "next-auth/react";
import { useState } from "react";
import type { PasskeyOptions } from "@/lib/people/accounts/account-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";

export type Way = "password" | "code" | "passkey" | "demo";

/** The sign-in methods, and the error of the last attempt. */
export function useSignIn(
  callbackUrl: string,
  initialError: string | null,
  /** The organization that asks for the sign-in, if one does. */
  organizationId: string | null,
) {
  const [error, setError] = useState(initialError);
  const [pending, setPending] = useState(false);
  /** The password was correct; the code is asked for now. */
  const [codeWanted, setCodeWanted] = useState(false);

  const enter = async (way: Way, values: Record<string, string>) => {
    setPending(true);
    setError(null);
    const result = await signIn(way, { ...values, redirect: false, callbackUrl }).catch(() => null);
    // A full load, so that no page cached for another user is shown.
    if (result?.ok && !result.error) return window.location.assign(callbackUrl);
    setPending(false);
    const code = result ? (result.error ?? "CredentialsSignin") : "unreachable";
    setCodeWanted(code === "second_factor" || (codeWanted && code !== "sign_in_again"));
    setError(code === "second_factor" ? null : code);
  };

  const enterWithPasskey = async () => {
    setPending(true);
    setError(null);
    try {
      const { startAuthentication } = await import("@simplewebauthn/browser");
      const { options } = await api.post<PasskeyOptions>("/api/sign-in/passkey");
      const optionsJSON = options as unknown as Parameters<typeof startAuthentication>[0]["optionsJSON"];
      const answer = await startAuthentication({ optionsJSON });
      await enter("passkey", { answer: JSON.stringify(answer) });
    } catch (failure) {
      setPending(false);
      // The browser does not distinguish a closed dialog from a missing passkey.
      setError(
        failure instanceof Error && failure.name === "NotAllowedError" ? "passkey_closed" : "unreachable",
      );
    }
  };

  const enterAt = async (provider: string, organization: string | null = organizationId) => {
    setPending(true);
    setError(null);
    // An organization's own, which next-auth does not know.
    const own = /^saml:(.+)$/.exec(provider)?.[1];
    if (own)
      return window.location.assign(
        `/api/auth/saml/${own}/start?callbackUrl=${encodeURIComponent(callbackUrl)}`,
      );
    // Navigates away; the promise rejects only on failure.
    await signIn(provider, { callbackUrl, ...(organization && { organization }) }).catch(() => {
      setPending(false);
      setError("unreachable");
    });
  };

  const startAgain = () => {
    setCodeWanted(false);
    setError(null);
  };
  return { error, pending, codeWanted, enter, enterWithPasskey, enterAt, startAgain };
}
