import type { ReactNode } from "react";
import { Notice } from "@/components/ui/notice.tsx";
import { refusalWords } from "@/lib/format/oauth.ts";
import type { ProbedAddress } from "@/lib/servers/schema.ts";

/** Whether the address answered as an MCP server, perhaps with the wish for a sign-in. */
export function isConnectable({ signIn }: ProbedAddress): boolean {
  return signIn !== null && (signIn.kind !== "oauth" || signIn.refusal === null);
}

/** What the try of an address found out, and what is needed to connect it. */
export function AddressResult({ result, action }: { result: ProbedAddress; action: ReactNode }) {
  const { signIn, health, era, tools } = result;
  if (signIn?.kind === "none")
    return (
      <Notice live tone="good" title="The server answers. No sign-in needed.">
        <p>
          Protocol version detected: {era} · {tools === 1 ? "1 tool" : `${tools} tools`}
        </p>
      </Notice>
    );
  if (signIn?.kind === "oauth" && signIn.refusal === null)
    return (
      <Notice
        live
        tone="accent"
        title={`The server answers. Sign-in needed at ${signIn.host ?? "its provider"}.`}
      >
        <p>
          Connect it, then sign in on its page, for yourself or for everyone. Intray never sees a password.
        </p>
      </Notice>
    );
  if (signIn?.kind === "oauth") {
    const { title, advice } = refusalWords(signIn.refusal);
    return (
      <Notice live tone="bad" title={`${title}.`} action={action}>
        <p>{advice}</p>
      </Notice>
    );
  }
  if (signIn?.kind === "bearer")
    return (
      <Notice live tone="accent" title="The server answers. It needs a token.">
        <p>It names no authorization server to sign in at. The server’s owner issues the token.</p>
      </Notice>
    );
  return (
    <Notice
      live
      tone="bad"
      title={health.message ?? "The server does not answer as it should."}
      action={action}
    >
      <p>
        {health.state === "failing"
          ? "The address may not be the one it speaks MCP at: many servers end in /mcp."
          : "Check that it runs and that the address is right. Whoever runs Intray can allow an address in a private network: INTRAY_ALLOW_HOSTS."}
      </p>
    </Notice>
  );
}
