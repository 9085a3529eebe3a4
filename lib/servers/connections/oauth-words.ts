import type { OAuthRefusal } from "../../mcp/oauth/oauth-fetch.ts";

export interface RefusalWords {
  title: string;
  /** The remedy. */
  advice: string;
}

const ASK = "The people who run that server have to fix it.";

const WORDS: Record<OAuthRefusal | "signed_out" | "no_oauth", RefusalWords> = {
  unreachable: {
    title: "The authorization server could not be reached, or is not allowed here",
    advice:
      "Nothing was changed. Try again in a while. The person who runs Intray can allow an address in a private network (INTRAY_ALLOW_HOSTS).",
  },
  server_failed: {
    title: "The authorization server failed",
    advice: "It answered with an error of its own. Nothing was changed. Try again in a while.",
  },
  insecure_endpoint: {
    title: "The sign-in would not be encrypted",
    advice: `The server or its authorization server uses http where https is needed. ${ASK}`,
  },
  no_authorization_server: {
    title: "This server does not say where to sign in",
    advice:
      "It names no authorization server. If it takes a fixed token, choose “Bearer token” as its credentials.",
  },
  metadata_missing: {
    title: "The authorization server that this server names does not describe itself",
    advice: `Intray finds no metadata at its well-known addresses. ${ASK}`,
  },
  metadata_invalid: {
    title: "The server or its authorization server describes the sign-in in a way that Intray can’t use",
    advice: ASK,
  },
  metadata_issuer: {
    title: "The authorization server says that it is another one",
    advice: `Intray does not sign in where names don’t match. ${ASK}`,
  },
  resource_mismatch: {
    title: "The server claims to be another server",
    advice: `A sign-in here would be valid at another address. Check the server’s address. ${ASK}`,
  },
  pkce_unsupported: {
    title: "The authorization server does not protect sign-ins (no PKCE with S256)",
    advice: `Intray does not sign in without this protection. ${ASK}`,
  },
  registration_unavailable: {
    title: "The authorization server has to know Intray beforehand",
    advice:
      "Contact the server’s owner for a client id, and have an admin enter it: Edit… → Credentials: OAuth → Advanced → Client ID.",
  },
  registration_refused: {
    title: "The authorization server refuses to register Intray",
    advice:
      "Contact the server’s owner for a client id, and have an admin enter it: Edit… → Credentials: OAuth → Advanced → Client ID.",
  },
  issuer_changed: {
    title: "The server has moved to another authorization server",
    advice:
      "The client id that an admin entered belongs to the old one, and is not shown to others. Have an admin enter a new one.",
  },
  client_refused: {
    title: "The authorization server does not know Intray, or refuses its client id",
    advice: "Try once more. If that does not help, have an admin check the client id and its secret.",
  },
  scope_refused: {
    title: "The authorization server does not give these rights",
    advice: "Have an admin check the scopes that are asked for.",
  },
  denied: {
    title: "The sign-in was declined",
    advice: "You, or the authorization server, said no. Nothing was connected.",
  },
  sign_in_failed: {
    title: "The authorization server ended the sign-in with an error",
    advice: "Nothing was connected. Try again, or contact the server’s owner.",
  },
  issuer_mismatch: {
    title: "An answer came from somewhere else than where you signed in",
    advice:
      "Intray refused it and sent nothing: it may have been an attack. Start again from here, and tell the person who runs Intray if it happens again.",
  },
  malformed: {
    title: "The authorization server’s answer makes no sense",
    advice: "Nothing was connected. Try again.",
  },
  flow_unknown: {
    title: "This sign-in is over",
    advice:
      "It took longer than ten minutes, was finished before, or began in another browser or organization. Start again.",
  },
  signed_out: {
    title: "You were signed out of Intray meanwhile",
    advice: "Nothing was connected. Start again from the server’s page.",
  },
  no_oauth: {
    title: "This server does not use OAuth",
    advice: "There is nothing to sign in to.",
  },
  not_allowed: {
    title: "Your role does not allow this any more",
    advice: "Nothing was connected. Ask an admin.",
  },
  grant_refused: {
    title: "The authorization server does not accept the sign-in’s code",
    advice:
      "It says that the code was used before, has expired or is not valid. Nothing was connected. Start again.",
  },
  token_refused: {
    title: "The authorization server refused to give a token",
    advice:
      "It confirmed the sign-in, but gave no reason that Intray knows. Nothing was connected. Start again, or contact the server’s owner.",
  },
  token_unusable: {
    title: "The authorization server gave a token of a kind that Intray can’t use",
    advice: ASK,
  },
};

/** Why a sign-in failed, by the error code; an unknown code reads as a plain failure. */
export function refusalWords(code: unknown): RefusalWords {
  return typeof code === "string" && Object.hasOwn(WORDS, code)
    ? WORDS[code as keyof typeof WORDS]
    : WORDS.sign_in_failed;
}
