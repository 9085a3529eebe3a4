"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { z } from "zod";
import { TextField } from "@/components/form/text-field.tsx";
import { useForm } from "@/components/form/use-form.ts";
import { useFormats } from "@/components/shell/session/me.tsx";
import { Button } from "@/components/ui/button.tsx";
import { Field, Select } from "@/components/ui/field.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Dialog, DialogActions } from "@/components/ui/overlay/dialog.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import {
  PREVIEW_LIMIT,
  type Preview,
  type Retention,
  shortens,
  type UpdateRetention,
} from "@/lib/history/retention/retention-schema.ts";
import { plural } from "@/lib/text/labels.ts";
import { api, errorSentence } from "@/lib/web/client/base/client.ts";
import { showSaved } from "@/lib/web/client/base/query-client.ts";
import { retention, retentionPreview } from "@/lib/web/client/organization.ts";
import { Section } from "../section.tsx";

const NAMES: [keyof Preview, one: string, many: string][] = [
  ["messages", "protocol message", "protocol messages"],
  ["tasks", "finished task", "finished tasks"],
  ["payloads", "line of history loses its details", "lines of history lose their details"],
];

/** The data that saving would delete at once. */
function RetentionPreview({ wanted }: { wanted: Retention }) {
  const { data, error } = useQuery(retentionPreview(wanted));
  const { number } = useFormats();
  if (error) return <Notice tone="bad" title={errorSentence(error)} />;
  if (!data) return <Notice title="Counting what would be deleted…" />;
  const going = NAMES.filter(([kind]) => data[kind] > 0);
  if (going.length === 0) return <Notice live title="Nothing is that old yet." />;
  return (
    <Notice live tone="wait" title="This would be deleted now">
      <ul className="list-disc pl-4">
        {going.map(([kind, one, many]) => (
          <li key={kind}>
            {data[kind] > PREVIEW_LIMIT ? `More than ${number(PREVIEW_LIMIT)}` : number(data[kind])}{" "}
            {data[kind] === 1 ? one : many}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

const DAYS = [1, 7, 30, 90, 180, 365, 1_095, 2_555, 3_650];
const YEAR = 365;

const KINDS: { kind: keyof Retention; label: string; description: string }[] = [
  {
    kind: "messageDays",
    label: "Protocol messages",
    description: "Messages between Intray and the servers, on the Protocol tab of a task.",
  },
  {
    kind: "taskDays",
    label: "Finished tasks",
    description:
      "Counted from their end, with their arguments, requests, answers and results. Running tasks and unsent answers always stay.",
  },
  {
    kind: "payloadDays",
    label: "Details of the history",
    description:
      "The text of questions and answers. What happened, when, and who did it stays forever, and can be verified.",
  },
];

/** A longer retention is saved at once; a shorter one asks for confirmation. */
export function RetentionForm({
  saved,
  slug,
  atLeast,
}: {
  saved: Retention;
  slug: string;
  /** Days below which the operator lets nobody go, but for protocol messages. */
  atLeast: number;
}) {
  const client = useQueryClient();
  const [wanted, setWanted] = useState(saved);
  const [asking, setAsking] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const [pending, setPending] = useState(false);
  const isChanged = KINDS.some(({ kind }) => wanted[kind] !== saved[kind]);
  const isShorter = shortens(saved, wanted);

  const save = async (input: UpdateRetention) => {
    const now = await api.patch<Retention>("/api/v1/organization/retention", input);
    toast("Saved");
    setAsking(false);
    await showSaved(client, retention().queryKey, now);
  };
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    if (pending || !isChanged) return;
    setFailure(null);
    if (isShorter) return setAsking(true);
    setPending(true);
    await save(wanted).catch((error: unknown) => setFailure(errorSentence(error)));
    setPending(false);
  };

  return (
    <Section
      title="Retention"
      description={`Older data is deleted for good, in the background. Finished tasks and details of the history are kept for at least ${plural(atLeast, "day")}.`}
    >
      <form onSubmit={onSubmit} className="flex flex-col gap-5">
        {KINDS.map(({ kind, label, description }) => (
          <Field key={kind} id={kind} label={label} description={description} required>
            {(control) => (
              <Select
                {...control}
                className="w-56 max-md:w-full"
                value={wanted[kind] ?? ""}
                onChange={({ target }) =>
                  setWanted({ ...wanted, [kind]: target.value === "" ? null : Number(target.value) })
                }
              >
                <option value="">Forever</option>
                {choices(saved[kind], kind === "messageDays" ? 1 : atLeast).map((days) => (
                  <option key={days} value={days}>
                    {inWords(days)}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        ))}
        {isShorter && <RetentionPreview wanted={wanted} />}
        {failure && <Notice live tone="bad" title={failure} />}
        <div>
          <Button type="submit" variant="primary" disabled={!isChanged || pending}>
            {isShorter ? "Save…" : "Save"}
          </Button>
        </div>
      </form>
      <ShortenDialog
        slug={slug}
        open={asking}
        onOpenChange={setAsking}
        onConfirm={(typed) => save({ ...wanted, slug: typed })}
      >
        <RetentionPreview wanted={wanted} />
      </ShortenDialog>
    </Section>
  );
}

/** The API accepts any number of days, so the saved one is added to the choices. */
function choices(days: number | null, atLeast: number): number[] {
  return [...new Set([...DAYS.filter((each) => each >= atLeast), ...(days === null ? [] : [days])])].sort(
    (a, b) => a - b,
  );
}

function inWords(days: number): string {
  return days % YEAR === 0 ? plural(days / YEAR, "year") : plural(days, "day");
}

interface Props {
  slug: string;
  onOpenChange: (open: boolean) => void;
  onConfirm: (typed: string) => Promise<void>;
  /** The preview of the deletion. */
  children: ReactNode;
}

/** Confirms a shorter retention. Typing the slug prevents a deletion by accident. */
function ShortenDialog({ open, ...props }: Props & { open: boolean }) {
  return (
    <Dialog
      open={open}
      onOpenChange={props.onOpenChange}
      title="Keep it for less time?"
      description="Older data is deleted for good. A longer time later does not restore it."
    >
      <ShortenForm {...props} />
    </Dialog>
  );
}

function ShortenForm({ slug, onOpenChange, onConfirm, children }: Props) {
  const { form, errors, failure, pending, onSubmit } = useForm({
    schema: z.object({ slug: z.literal(slug, `Type ${slug}`) }),
    read: (data) => ({ slug: String(data.get("slug")).trim() }),
    send: (values) => onConfirm(values.slug),
  });
  return (
    <form ref={form} onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
      {children}
      {failure && (
        <Notice live tone="bad" title={failure}>
          <p>Nothing was changed.</p>
        </Notice>
      )}
      <TextField
        name="slug"
        label={`Type ${slug} to confirm`}
        autoComplete="off"
        spellCheck={false}
        error={errors.slug}
      />
      <DialogActions>
        <Button onClick={() => onOpenChange(false)}>Close</Button>
        <Button type="submit" variant="destructive" disabled={pending}>
          {pending ? "Saving…" : "Delete older data"}
        </Button>
      </DialogActions>
    </form>
  );
}
