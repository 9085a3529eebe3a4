"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { useSave } from "@/components/form/change.ts";
import { useMe } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Field, Input } from "@/components/ui/field.tsx";
import {
  type Organization,
  updateOrganizationSchema,
} from "@/lib/people/organizations/organization-schema.ts";
import { errorSentence } from "@/lib/web/client/base/client.ts";
import { organizationKeys, updateOrganization } from "@/lib/web/client/organization.ts";
import { Section } from "../section.tsx";

export function NameForm({ saved }: { saved: Organization }) {
  const me = useMe();
  const router = useRouter();
  const [name, setName] = useState(saved.name);
  const [problem, setProblem] = useState<string | undefined>();
  const update = useSave(organizationKeys.organization, updateOrganization, {
    done: ({ name }) => `The organization is called ${name} now`,
    onDone: ({ name }) => {
      setName(name);
      // The frame of every page shows the name.
      router.refresh();
    },
  });
  if (!me.may("settings:manage"))
    return (
      <Section title={saved.name} description={`Command-line name: ${saved.slug}.`}>
        <p className="text-muted">Admins change its name and its rules.</p>
      </Section>
    );
  const error = update.error ? errorSentence(update.error) : problem;
  return (
    <Section title="Name" description={`Shown to all members. Command-line name: ${saved.slug}.`}>
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          const parsed = updateOrganizationSchema.safeParse({ name });
          setProblem(parsed.error?.issues[0]?.message);
          if (parsed.data) update.mutate(parsed.data);
        }}
      >
        <Field id="name" label="Name" required error={error}>
          {(control) => (
            <Input
              {...control}
              maxLength={80}
              autoComplete="organization"
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <span>
          <Button type="submit" variant="primary" disabled={update.isPending || name.trim() === saved.name}>
            {update.isPending ? "Saving…" : "Save name"}
          </Button>
        </span>
      </form>
    </Section>
  );
}
