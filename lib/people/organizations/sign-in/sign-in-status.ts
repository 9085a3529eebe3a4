/** What keeps a session out of an organization, and how people are told. */
import { AppError, type ErrorCode } from "../../../base/errors.ts";
import type { NamedProvider, RefusalKind } from "./sign-in-schema.ts";

const CODES: Record<RefusalKind, ErrorCode> = {
  provider: "single_sign_on_required",
  again: "sign_in_again_required",
  auth_time: "sign_in_too_weak",
  acr: "sign_in_too_weak",
  amr: "sign_in_too_weak",
  second_factor: "second_factor_required",
};

/** One sentence for the person. `providers`: those that the organization requires, if any. */
export function refusalSentence(
  kind: RefusalKind,
  organization: string,
  providers: readonly Pick<NamedProvider, "name">[],
): string {
  const names = providers.map(({ name }) => name).join(" or ");
  const provider = names || "your sign-in provider";
  switch (kind) {
    case "provider":
      return `${organization} asks you to sign in through ${provider}.`;
    case "again":
      return `${organization} asks you to sign in again${names && ` through ${names}`}: your last sign-in was too long ago.`;
    case "auth_time":
      return `${organization} asks when you signed in, and ${provider} did not say. Sign in again; if that does not help, tell an admin.`;
    case "acr":
    case "amr":
      return `${organization} asks for a stronger sign-in than ${provider} confirmed (${kind}). Sign in again with what it asks for; if that does not help, tell an admin.`;
    case "second_factor":
      return `${organization} asks for two-step sign-in. Turn it on first.`;
  }
}

/** The failure of a call with a session that the organization does not let in. */
export function signInRefused(
  kind: RefusalKind,
  organization: string,
  providers: readonly NamedProvider[],
): AppError {
  return new AppError(CODES[kind], refusalSentence(kind, organization, providers), {
    extra: { refusal: kind, providers },
  });
}
