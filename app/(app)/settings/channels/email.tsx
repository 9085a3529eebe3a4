"use client";

import { tellError, useSave } from "@/components/form/change.ts";
import { useMe } from "@/components/shell/session/me.tsx";
import { TimeAgo } from "@/components/time/time.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Field, Select } from "@/components/ui/field.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { DIGEST_DAYS, type DigestChoice } from "@/lib/outbound/digest/digest-schema.ts";
import type { NoticeSettings } from "@/lib/outbound/notices/notice-schema.ts";
import { localZone } from "@/lib/text/local-time.ts";
import { api } from "@/lib/web/client/base/client.ts";
import { noticeSettings } from "@/lib/web/client/notices.ts";
import { Section } from "../section.tsx";

/** Where mail goes, what became of the last one, and the daily digest. */
export function Email({ settings: { email, digest } }: { settings: NoticeSettings }) {
  const { may } = useMe();
  return (
    <Section
      title="E-mail"
      description={`To ${email.address}. Mail names the tool and the server, never a question, arguments or a result.`}
    >
      {!email.sends && (
        <Notice title="This installation sends no mail">
          No mail server is set up. Your choices apply as soon as there is one.
        </Notice>
      )}
      {email.failure && (
        <Failure title="Your last notification could not be mailed" failure={email.failure} />
      )}
      {digest?.failure && <Failure title="Your last digest could not be mailed" failure={digest.failure} />}
      {may("requests:answer") && <DigestFields digest={digest} />}
    </Section>
  );
}

function Failure({ title, failure }: { title: string; failure: { error: string; since: string } }) {
  return (
    <Notice tone="bad" title={title}>
      <p>
        {failure.error} <TimeAgo at={failure.since} />
      </p>
    </Notice>
  );
}

const DAYS_WORDS: Record<DigestChoice["days"], string> = {
  off: "Off",
  working: "On working days",
  all: "Every day",
};
/** Before most people begin to work. */
const USUAL_HOUR = 8;
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

function DigestFields({ digest }: { digest: NoticeSettings["digest"] }) {
  const { formats } = useMe();
  const save = useSave(
    noticeSettings().queryKey,
    (choice: DigestChoice) => api.patch<NoticeSettings>("/api/v1/me/notifications", { digest: choice }),
    { onError: tellError },
  );
  const saved = digest ?? { days: "off" as const, hour: USUAL_HOUR, zone: localZone() };
  const { days, hour, zone } = save.isPending ? save.variables : saved;
  const isOn = days !== "off";
  return (
    <>
      <div className="flex flex-wrap gap-x-4 gap-y-3">
        <Field
          id="digest-days"
          label="Daily digest"
          hint="What waits for you, soonest first. If nothing waits, no mail goes out."
          required
        >
          {(control) => (
            <Select
              {...control}
              className="w-56 max-md:w-full"
              value={days}
              disabled={save.isPending}
              onChange={({ target }) =>
                // Turned on here, it follows the clocks of here.
                save.mutate({
                  days: target.value as DigestChoice["days"],
                  hour,
                  zone: isOn ? zone : localZone(),
                })
              }
            >
              {DIGEST_DAYS.map((each) => (
                <option key={each} value={each}>
                  {DAYS_WORDS[each]}
                </option>
              ))}
            </Select>
          )}
        </Field>
        {isOn && (
          <Field id="digest-hour" label="At" hint={zone.replaceAll("_", " ")} required>
            {(control) => (
              <Select
                {...control}
                className="w-32"
                value={hour}
                disabled={save.isPending}
                onChange={({ target }) => save.mutate({ days, hour: Number(target.value), zone })}
              >
                {HOURS.map((each) => (
                  <option key={each} value={each}>
                    {formats.time(new Date(2026, 0, 1, each).getTime())}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        )}
      </div>
      {isOn && (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-[13px] text-muted">
          {days === "working" && (
            <span>Working days are those of the organization’s calendar. Without one: Monday to Friday.</span>
          )}
          {zone !== localZone() && (
            <Button
              size="sm"
              disabled={save.isPending}
              onClick={() => save.mutate({ days, hour, zone: localZone() })}
            >
              Use {localZone().replaceAll("_", " ")}
            </Button>
          )}
          {digest?.sentAt && (
            <span>
              Last sent <TimeAgo at={digest.sentAt} />
            </span>
          )}
        </div>
      )}
    </>
  );
}
