"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type ReactNode, useRef, useState } from "react";
import { z } from "zod";
import { DialogForm } from "@/components/form/dialog-form.tsx";
import { TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { AllowHost } from "@/components/server/allow-host.tsx";
import {
  Advanced,
  type AuthKind,
  AuthKindField,
  EraField,
  isAdvancedRefused,
  NameField,
  OAuthFields,
  readServerAuth,
  TokenField,
} from "@/components/server/server-fields.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Dialog, DialogActions } from "@/components/ui/overlay/dialog.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { refusalWords } from "@/lib/servers/connections/oauth-words.ts";
import {
  type CreateServerInput,
  createServerSchema,
  type ProbedAddress,
  type ProbeInput,
  type Server,
  serverUrl,
} from "@/lib/servers/server-schema.ts";
import { unreachedAdvice } from "@/lib/servers/words/address-words.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { onboardingKey } from "@/lib/web/client/onboarding.ts";
import { serverKeys, serverList } from "@/lib/web/client/servers.ts";

/** Asks for the address, tries it, and then asks only for what that server needs. */
export function ConnectDialog({
  open,
  onOpenChange,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Connect server"
      description="An MCP server with Streamable HTTP. Intray tests the address before it saves anything."
    >
      <ConnectSteps onDone={() => onOpenChange(false)} />
    </Dialog>
  );
}

interface Tried {
  url: string;
  result: ProbedAddress;
}

function ConnectSteps({ onDone }: { onDone: () => void }) {
  const [tried, setTried] = useState<Tried | null>(null);
  const [address, setAddress] = useState("");
  if (!tried) return <AddressForm address={address} onTried={setTried} onDone={onDone} />;
  const change = () => {
    setAddress(tried.url);
    setTried(null);
  };
  return <ServerForm tried={tried} onChange={change} onTried={setTried} onDone={onDone} />;
}

const notAllowed = (url: string) =>
  `This address could not be reached, or is not allowed here. ${unreachedAdvice(url)}`;

const tryAddress = (input: Partial<ProbeInput> & { url: string }) =>
  api.post<ProbedAddress>("/api/v1/servers/probe", input);

function AddressForm({
  address,
  onTried,
  onDone,
}: {
  address: string;
  onTried: (tried: Tried) => void;
  onDone: () => void;
}) {
  const asked = useRef("");
  const { form, errors, failure, pending, onSubmit } = useForm({
    schema: z.object({ url: serverUrl }),
    read: (data) => ({ url: data.get("url") }),
    sentences: {
      get address_not_allowed() {
        return notAllowed(asked.current);
      },
    },
    send: async ({ url }) => {
      asked.current = url;
      onTried({ url, result: await tryAddress({ url }) });
    },
  });
  return (
    <form ref={form} onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
      {failure && (
        <Notice live tone="bad" title={failure}>
          <AllowHost url={asked.current} onAllowed={() => form.current?.requestSubmit()} />
        </Notice>
      )}
      <TextField
        name="url"
        label="Address"
        type="url"
        inputMode="url"
        autoComplete="off"
        placeholder="https://example.com/mcp"
        defaultValue={address}
        error={errors.url}
      />
      <DialogActions>
        <Button onClick={onDone}>Close</Button>
        <Button type="submit" variant="primary" disabled={pending}>
          {pending ? "Testing…" : "Continue"}
        </Button>
      </DialogActions>
    </form>
  );
}

function ServerForm({
  tried: { url, result },
  onChange,
  onTried,
  onDone,
}: {
  tried: Tried;
  onChange: () => void;
  onTried: (tried: Tried) => void;
  onDone: () => void;
}) {
  const client = useQueryClient();
  const router = useRouter();
  const [kind, setKind] = useState<AuthKind>(result.signIn?.kind ?? "none");
  /** The server's refusal of the token in the form; connecting is possible all the same. */
  const [tokenRefusal, setTokenRefusal] = useState<string | null>(null);
  const [again, setAgain] = useState(false);
  const known = useQuery(serverList()).data?.items.find((server) => server.url === url);

  const connect = async (values: CreateServerInput) => {
    if (values.auth.kind === "bearer" && tokenRefusal === null) {
      const { health } = await tryAddress({ url, era: values.era, auth: values.auth });
      if (health.state !== "ok")
        return setTokenRefusal(health.message ?? "The server gives an unexpected answer.");
    }
    const server = await api.post<Server>("/api/v1/servers", values);
    void client.invalidateQueries({ queryKey: onboardingKey });
    await client.invalidateQueries({ queryKey: serverKeys.all });
    if (server.health.state === "ok") toast.success(`${server.name} is connected`);
    else if (server.authKind === "oauth" && server.health.state === "unauthorized")
      toast(`${server.name} is saved. Sign in to connect it.`);
    else toast.error(`${server.name} is saved. ${server.health.message ?? "It does not answer."}`);
    onDone();
    router.push(`/servers/${server.id}`);
  };
  const form = useForm({
    schema: createServerSchema,
    read: (data) => ({ name: data.get("name"), url, era: data.get("era"), auth: readServerAuth(data) }),
    sentences: { address_not_allowed: notAllowed(url) },
    send: connect,
  });
  const tryAgain = async () => {
    setAgain(true);
    const found = await tryAddress({ url }).catch(() => result);
    setAgain(false);
    onTried({ url, result: found });
  };
  const connectable = isConnectable(result) && tokenRefusal === null;
  return (
    <DialogForm
      form={form}
      onClose={onDone}
      send={connectable ? "Connect" : "Save anyway"}
      sending="Connecting…"
      variant={connectable ? "primary" : "outline"}
    >
      <div className="flex items-center gap-3">
        <p className="min-w-0 flex-1 break-all font-mono text-xs">{url}</p>
        <Button size="sm" onClick={onChange}>
          Change
        </Button>
      </div>
      <AddressResult
        url={url}
        result={result}
        onAllowed={() => void tryAgain()}
        action={
          !isConnectable(result) && (
            <Button size="sm" disabled={again} onClick={() => void tryAgain()}>
              {again ? "Testing…" : "Try again"}
            </Button>
          )
        }
      />
      {known && <p className="text-[13px] text-wait">{known.name} already has this address.</p>}
      <NameField name={result.name ?? new URL(url).host} errors={form.errors} />
      {kind === "bearer" && <TokenField errors={form.errors} onChange={() => setTokenRefusal(null)} />}
      {tokenRefusal && <Notice live tone="bad" title={tokenRefusal} />}
      <Advanced refused={isAdvancedRefused(form.errors)}>
        <EraField errors={form.errors} />
        <AuthKindField kind={kind} onChange={setKind} />
        {kind === "oauth" && <OAuthFields errors={form.errors} />}
      </Advanced>
    </DialogForm>
  );
}

/** Whether the address answered as an MCP server, perhaps with the wish for a sign-in. */
function isConnectable({ signIn }: ProbedAddress): boolean {
  return signIn !== null && (signIn.kind !== "oauth" || signIn.refusal === null);
}

/** What the try of an address found out, and what is needed to connect it. */
function AddressResult({
  url,
  result,
  action,
  onAllowed,
}: {
  url: string;
  result: ProbedAddress;
  action: ReactNode;
  onAllowed: () => void;
}) {
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
      title={health.message ?? "The server gives an unexpected answer."}
      action={action}
    >
      <p>
        {health.state === "failing"
          ? "The address may be wrong: many MCP addresses end in /mcp."
          : unreachedAdvice(url)}
      </p>
      {health.state !== "failing" && <AllowHost url={url} onAllowed={onAllowed} />}
    </Notice>
  );
}
