import { TextField } from "@/components/form/text-field.tsx";
import { FieldErrorLine } from "@/components/ui/field.tsx";
import { WEBHOOK_EVENTS, type Webhook, type WebhookEvent } from "@/lib/outbound/webhooks/webhook-schema.ts";

const GROUPS: { label: string; events: WebhookEvent[] }[] = ["request", "task", "server"].map((noun) => ({
  label: `${noun.charAt(0).toUpperCase()}${noun.slice(1)}s`,
  events: WEBHOOK_EVENTS.filter((event) => event.startsWith(`${noun}.`)),
}));

/** The URL and the events. */
export function WebhookFields({
  webhook,
  errors,
}: {
  webhook?: Webhook;
  errors: Record<string, string | undefined>;
}) {
  return (
    <>
      <TextField
        name="url"
        label="Address"
        type="url"
        description="Public, with https. It may contain a secret, so only admins see it."
        placeholder="https://hooks.example.com/intray"
        autoComplete="off"
        defaultValue={webhook?.url}
        error={errors.url}
      />
      <fieldset className="flex flex-col gap-3" aria-describedby={errors.events ? "events-error" : undefined}>
        <legend className="mb-2 font-medium text-[13px]">Events</legend>
        <div className="grid gap-4 md:grid-cols-2">
          {GROUPS.map(({ label, events }) => (
            <div key={label} className="flex flex-col gap-1">
              <span className="text-muted text-xs">{label}</span>
              {events.map((event) => (
                <label key={event} className="flex items-center gap-2 max-md:min-h-11">
                  <input
                    type="checkbox"
                    name="events"
                    value={event}
                    defaultChecked={webhook ? webhook.events.includes(event) : event === "request.opened"}
                    className="size-4 accent-accent"
                  />
                  <span className="font-mono text-[13px]">{event}</span>
                </label>
              ))}
            </div>
          ))}
        </div>
        {errors.events && <FieldErrorLine id="events-error" message={errors.events} />}
      </fieldset>
    </>
  );
}

/** Reads the fields of a form with `WebhookFields`. */
export function readWebhookFields(data: FormData) {
  return { url: data.get("url"), events: data.getAll("events") };
}
