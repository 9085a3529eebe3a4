"use client";

import { useMe } from "@/components/shell/session/me.tsx";
import { useNow, useZoneKnown } from "@/components/time/use-now.ts";
import { Field, Select } from "@/components/ui/field.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { LOCALES, type Locale } from "@/lib/text/formats/locales.ts";
import { localZone } from "@/lib/text/local-time.ts";
import { errorSentence } from "@/lib/web/client/base/client.ts";

/** The choice of a format, with what it looks like. The time zone is always the browser's. */
export function DatesAndNumbers() {
  const { preferences, prefer, formats, browserLocale } = useMe();
  const zoneKnown = useZoneKnown();
  const now = useNow();
  return (
    <div className="flex flex-col gap-4">
      <Field id="formats" label="Format" required>
        {(control) => (
          <Select
            {...control}
            className="md:max-w-80"
            value={preferences.locale ?? ""}
            onChange={({ target }) => {
              const locale = (target.value || null) as Locale | null;
              prefer({ locale }).catch((error: unknown) => toast.error(errorSentence(error)));
            }}
          >
            <option value="">As the browser asks ({nameOf(browserLocale)})</option>
            {Object.entries(LOCALES).map(([locale, name]) => (
              <option key={locale} value={locale}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5 text-[13px]">
        <dt className="text-muted">Now</dt>
        <dd>{zoneKnown ? formats.exact(new Date(now).toISOString()) : "…"}</dd>
        <dt className="text-muted">Number</dt>
        <dd>{formats.money(1234567.8)}</dd>
        <dt className="text-muted">Zone</dt>
        <dd>{zoneKnown ? `${localZone().replaceAll("_", " ")}, as this browser is set` : "…"}</dd>
      </dl>
    </div>
  );
}

function nameOf(locale: string): string {
  return Object.entries(LOCALES).find(([known]) => known === locale)?.[1] ?? locale;
}
