"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Copy } from "lucide-react";
import { TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { type Slack, setUpSlackSchema } from "@/lib/outbound/slack/slack-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { showSaved } from "@/lib/web/client/base/query-client.ts";
import { SLACK_PATH, slackApp } from "@/lib/web/client/outbound.ts";
import { Section } from "../section.tsx";

/** How to make the app at Slack, and the fields for its secrets. */
export function SlackForm({
  manifest,
  isFirst,
  onDone,
}: {
  manifest: string;
  isFirst: boolean;
  onDone: () => void;
}) {
  const client = useQueryClient();
  const { form, errors, failure, blocked, pending, onSubmit } = useForm({
    schema: setUpSlackSchema,
    read: (data) => {
      const { appToken, ...values } = Object.fromEntries(data);
      return appToken === "" ? values : { ...values, appToken };
    },
    send: async (values) => {
      const saved = await api.put<Slack>(SLACK_PATH, values);
      await showSaved(client, slackApp().queryKey, saved);
      toast(`Connected to ${saved.app?.team ?? "Slack"}`);
      onDone();
    },
  });
  const copy = () =>
    navigator.clipboard.writeText(manifest).then(
      () => toast("Copied"),
      () => toast.error("The browser did not let it be copied: select it and copy it yourself."),
    );
  return (
    <Section
      title={isFirst ? "Set up Slack" : "Enter secrets"}
      description="At api.slack.com/apps press Create New App → From a manifest, choose the workspace, and paste this manifest. Then press Install to Workspace."
      action={
        <Button onClick={() => void copy()}>
          <Copy aria-hidden strokeWidth={1.75} />
          Copy the manifest
        </Button>
      }
    >
      <textarea
        readOnly
        aria-label="Manifest"
        rows={8}
        value={manifest}
        onFocus={(event) => event.target.select()}
        className="w-full rounded-lg border border-line bg-sunken p-3 font-mono text-xs"
      />
      <form ref={form} onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
        {failure && <Notice live tone="bad" title={failure} />}
        <TextField
          name="botToken"
          label="Bot User OAuth Token"
          type="password"
          description="OAuth & Permissions"
          placeholder="xoxb-…"
          autoComplete="off"
          error={errors.botToken}
        />
        <TextField
          name="clientId"
          label="Client ID"
          description="Basic Information, App Credentials"
          autoComplete="off"
          error={errors.clientId}
        />
        <TextField
          name="clientSecret"
          label="Client Secret"
          type="password"
          description="Basic Information, App Credentials"
          autoComplete="off"
          error={errors.clientSecret}
        />
        <TextField
          name="signingSecret"
          label="Signing Secret"
          type="password"
          description="Basic Information, App Credentials"
          autoComplete="off"
          error={errors.signingSecret}
        />
        <TextField
          name="appToken"
          label="App-Level Token"
          type="password"
          required={false}
          description="Only where Slack can’t reach Intray: turn Socket Mode on at Slack, and make a token with connections:write"
          placeholder="xapp-…"
          autoComplete="off"
          error={errors.appToken}
        />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" disabled={blocked}>
            {pending ? "Connecting…" : "Connect"}
          </Button>
          {!isFirst && <Button onClick={onDone}>Cancel</Button>}
        </div>
      </form>
    </Section>
  );
}
