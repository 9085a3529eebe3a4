"use client";

import { useQueryClient } from "@tanstack/react-query";
import { TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { Button } from "@/components/ui/button.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { setUpTeamsSchema, type Teams } from "@/lib/outbound/teams/teams-schema.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { showSaved } from "@/lib/web/client/base/query-client.ts";
import { TEAMS_PATH, teamsApp } from "@/lib/web/client/outbound.ts";
import { Section } from "../section.tsx";

/** Which addresses to enter at Microsoft, and the fields for what it gives. */
export function TeamsForm({
  teams: { app, messagingEndpoint, redirectUri },
  onDone,
}: {
  teams: Teams;
  onDone: () => void;
}) {
  const client = useQueryClient();
  const { form, errors, failure, blocked, pending, onSubmit } = useForm({
    schema: setUpTeamsSchema,
    read: (data) => Object.fromEntries(data),
    send: async (values) => {
      await showSaved(client, teamsApp().queryKey, await api.put<Teams>(TEAMS_PATH, values));
      toast("Connected to Microsoft");
      onDone();
    },
  });
  return (
    <Section
      title={app ? "Enter secrets" : "Set up Teams"}
      description="At entra.microsoft.com register an app for this organizational directory only. At portal.azure.com make an Azure Bot with this app, of the type Single Tenant, and add the channel Microsoft Teams."
    >
      <Address label="Redirect URI of the app, platform Web" value={redirectUri} />
      <Address label="Messaging endpoint of the bot" value={messagingEndpoint} />
      <form ref={form} onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
        {failure && <Notice live tone="bad" title={failure} />}
        <TextField
          name="appId"
          label="Application (client) ID"
          description="Overview of the app"
          defaultValue={app?.appId}
          autoComplete="off"
          error={errors.appId}
        />
        <TextField
          name="tenantId"
          label="Directory (tenant) ID"
          description="Overview of the app"
          defaultValue={app?.tenantId}
          autoComplete="off"
          error={errors.tenantId}
        />
        <TextField
          name="clientSecret"
          label="Client secret"
          type="password"
          description="Certificates & secrets, the column Value"
          autoComplete="off"
          error={errors.clientSecret}
        />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" disabled={blocked}>
            {pending ? "Connecting…" : "Connect"}
          </Button>
          {app && <Button onClick={onDone}>Cancel</Button>}
        </div>
      </form>
    </Section>
  );
}

function Address({ label, value }: { label: string; value: string }) {
  return (
    <label className="flex flex-col gap-1">
      <span className="font-medium">{label}</span>
      <input
        readOnly
        value={value}
        onFocus={(event) => event.target.select()}
        className="w-full rounded-lg border border-line bg-sunken px-3 py-2 font-mono text-xs"
      />
    </label>
  );
}
