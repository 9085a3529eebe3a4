"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useMe } from "@/components/shell/session/me.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Unread } from "@/components/ui/failure.tsx";
import { Field, Input, Select, Textarea } from "@/components/ui/field.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { actorWords } from "@/lib/access/actor-words.ts";
import {
  type Calendar,
  calendarSchema,
  type SavedCalendar,
  WEEKDAYS,
} from "@/lib/policy/calendar/calendar-schema.ts";
import {
  DAY_NAMES,
  holidaysText,
  hoursText,
  officeHours,
  readHolidays,
  readHours,
} from "@/lib/policy/calendar/calendar-words.ts";
import { localZone } from "@/lib/text/local-time.ts";
import { ApiError, errorSentence } from "@/lib/web/client/base/client.ts";
import { showSaved } from "@/lib/web/client/base/query-client.ts";
import { calendar, saveCalendar } from "@/lib/web/client/settings/working-time.ts";
import { Section } from "../section.tsx";

/** When the organization works. */
export function CalendarScreen() {
  const me = useMe();
  const mayChange = me.may("settings:manage");
  const current = useQuery({ ...calendar(), enabled: mayChange });
  if (!mayChange) return <Notice title="Only admins see and change the calendar.">Ask one of them.</Notice>;
  if (!current.data) return <Unread what="The calendar" query={current} className="h-64" />;
  return <CalendarForm current={current.data} />;
}

const HolidayFileChooser = lazyComponent(() =>
  import("./holiday-file.tsx").then((file) => file.HolidayFileChooser),
);

/** What is typed: hours by weekday, and a holiday a line. */
interface Draft {
  zone: string;
  days: Record<string, string>;
  holidays: string;
}

/**
 * Zone, hours and holidays. One press saves all of it, over the version that it was read at. A newer one that arrives takes the
 * place of what nobody has changed here.
 */
function CalendarForm({ current }: { current: SavedCalendar }) {
  const client = useQueryClient();
  const [saved, setSaved] = useState(current);
  const [draft, setDraft] = useState(() => draftOf(current.calendar));
  const [errors, setErrors] = useState<Record<string, string>>({});
  const isChanged = JSON.stringify(draft) !== JSON.stringify(draftOf(saved.calendar));
  const isOld = current.version > saved.version;
  const adopt = (version: SavedCalendar) => {
    setSaved(version);
    setDraft(draftOf(version.calendar));
    setErrors({});
  };
  if (isOld && !isChanged) adopt(current);
  const save = useMutation({
    mutationFn: (given: Calendar | null) => saveCalendar(saved.version, given),
    onSuccess: async (now) => {
      adopt(now);
      await showSaved(client, calendar().queryKey, now);
      toast(now.calendar ? "Calendar saved. The times of open requests follow it" : "Calendar removed");
    },
  });
  const isOvertaken = isOld || (save.error instanceof ApiError && save.error.code === "version_changed");
  const submit = () => {
    const read = draft && readDraft(draft);
    setErrors(read?.errors ?? {});
    if (draft === null) save.mutate(null);
    else if (read?.calendar) save.mutate(read.calendar);
  };
  return (
    <Section
      title="Working calendar"
      description="Times of the policy, such as reminders, are counted in these hours. Without a calendar all time is working time."
    >
      <form
        noValidate
        className="flex flex-col gap-5"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {draft ? (
          // What is typed while it is saved would be neither in it nor here afterwards.
          <div className="contents" inert={save.isPending}>
            <Hours draft={draft} errors={errors} onChange={(part) => setDraft({ ...draft, ...part })} />
          </div>
        ) : (
          <p className="text-[13px] text-muted">
            {saved.calendar ? "Once saved, all time is working time." : "All time is working time."}
          </p>
        )}
        {isOvertaken ? (
          <Notice
            live
            tone="bad"
            title="Somebody has changed the calendar meanwhile."
            action={
              <Button
                onClick={() =>
                  void client.fetchQuery({ ...calendar(), staleTime: 0 }).then((now) => {
                    adopt(now);
                    save.reset();
                  })
                }
              >
                Load the current calendar
              </Button>
            }
          >
            <p>Loading it discards your changes.</p>
          </Notice>
        ) : (
          save.error && <Notice live tone="bad" title={errorSentence(save.error)} />
        )}
        <div className="flex flex-wrap items-center gap-2">
          {(draft || saved.calendar) && (
            <Button type="submit" variant="primary" disabled={!isChanged || save.isPending}>
              {save.isPending ? "Saving…" : "Save calendar"}
            </Button>
          )}
          {draft ? (
            <Button
              variant="ghost"
              disabled={save.isPending}
              onClick={() => {
                setDraft(null);
                setErrors({});
              }}
            >
              Use no calendar
            </Button>
          ) : (
            <Button onClick={() => setDraft(draftOf(saved.calendar ?? officeHours(localZone())))}>
              {saved.calendar ? "Keep the calendar" : "Set working hours"}
            </Button>
          )}
          {saved.changedAt && saved.changedBy && (
            <span className="text-[13px] text-muted">
              {actorWords(saved.changedBy, { begins: true })} changed it <TimeAgo at={saved.changedAt} />
            </span>
          )}
        </div>
      </form>
    </Section>
  );
}

function Hours({
  draft,
  errors,
  onChange,
}: {
  draft: Draft;
  errors: Record<string, string>;
  onChange(part: Partial<Draft>): void;
}) {
  const { zone, days, holidays } = draft;
  const zones = Intl.supportedValuesOf("timeZone");
  return (
    <>
      <Field id="zone" label="Time zone" error={errors.zone} required>
        {(control) => (
          <Select
            {...control}
            className="w-72 max-md:w-full"
            value={zone}
            onChange={({ target }) => onChange({ zone: target.value })}
          >
            {(zones.includes(zone) ? zones : [zone, ...zones]).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        )}
      </Field>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 font-medium text-[13px]">Hours</legend>
        <p className="text-[13px] text-muted">
          Such as 09:00-12:00, 13:00-17:00. Leave a day empty if nobody works on it.
        </p>
        {errors.days && <Notice live tone="bad" title={errors.days} />}
        {WEEKDAYS.map((day) => (
          <div key={day} className="grid items-baseline gap-x-3 gap-y-1 md:grid-cols-[6rem_1fr]">
            <label htmlFor={`hours-${day}`} className="text-[13px]">
              {DAY_NAMES[day]}
            </label>
            <div className="flex max-w-72 flex-col gap-1">
              <Input
                id={`hours-${day}`}
                aria-invalid={errors[day] ? true : undefined}
                aria-describedby={errors[day] ? `hours-${day}-error` : undefined}
                placeholder="Closed"
                spellCheck={false}
                value={days[day] ?? ""}
                onChange={({ target }) => onChange({ days: { ...days, [day]: target.value } })}
              />
              {errors[day] && (
                <p id={`hours-${day}-error`} className="text-[13px] text-bad">
                  {errors[day]}
                </p>
              )}
            </div>
          </div>
        ))}
      </fieldset>
      <Field
        id="holidays"
        label="Holidays"
        description="One a line: the date and its name, such as 2026-12-25 Christmas Day."
        error={errors.holidays}
      >
        {(control) => (
          <Textarea
            {...control}
            rows={6}
            spellCheck={false}
            value={holidays}
            onChange={({ target }) => onChange({ holidays: target.value })}
            className="border-line font-mono text-[13px]"
          />
        )}
      </Field>
      <HolidayFileChooser
        known={readHolidays(holidays).map(({ date }) => date)}
        onAdd={(added) =>
          onChange({ holidays: [holidays.trim(), holidaysText(added)].filter(Boolean).join("\n") })
        }
      />
    </>
  );
}

function draftOf(calendar: Calendar | null): Draft | null {
  if (calendar === null) return null;
  const { zone, days, holidays } = calendar;
  const texts = WEEKDAYS.map((day) => [day, hoursText(days[day])]);
  return { zone, days: Object.fromEntries(texts), holidays: holidaysText(holidays) };
}

/** The calendar that was typed, or the first mistake of each field. */
function readDraft({ zone, days, holidays }: Draft): {
  calendar: Calendar | null;
  errors: Record<string, string>;
} {
  const errors: Record<string, string> = {};
  const hours = WEEKDAYS.map((day) => {
    const spans = readHours(days[day] ?? "");
    if (spans === null) errors[day] = "Use times such as 09:00-17:00";
    return [day, spans ?? []] as const;
  });
  const dates = readHolidays(holidays);
  const read = calendarSchema.safeParse({ zone, days: Object.fromEntries(hours), holidays: dates });
  for (const { path, message } of read.error?.issues ?? []) {
    const [part, name] = path;
    const field = part === "days" && name !== undefined ? String(name) : String(part);
    const line = part === "holidays" && typeof name === "number" ? `“${dates[name]?.date}”: ` : "";
    errors[field] ??= `${line}${message}`;
  }
  return { calendar: Object.keys(errors).length === 0 ? (read.data ?? null) : null, errors };
}
