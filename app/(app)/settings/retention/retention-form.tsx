"use client";

import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { Field } from "@/components/ui/field.tsx";
import { Notice } from "@/components/ui/notice.tsx";
import { Select } from "@/components/ui/select.tsx";
import { toast } from "@/components/ui/toast/toast.ts";
import { api, errorSentence } from "@/lib/api-client/base/client.ts";
import { showSaved } from "@/lib/api-client/base/show-saved.ts";
import { retention } from "@/lib/api-client/retention.ts";
import { type Retention, shortens, type UpdateRetention } from "@/lib/retention/schema.ts";
import { plural } from "@/lib/text/labels.ts";
import { Section } from "../section.tsx";
import { RetentionPreview } from "./retention-preview.tsx";
import { ShortenDialog } from "./shorten-dialog.tsx";

const DAYS = [1, 7, 30, 90, 180, 365, 1_095, 2_555, 3_650];
const YEAR = 365;

const KINDS: { kind: keyof Retention; label: string; description: string }[] = [
  {
    kind: "messageDays",
    label: "Protocol messages",
    description: "What Intray and the servers said to each other, on the Protocol tab of a task.",
  },
  {
    kind: "taskDays",
    label: "Finished tasks",
    description:
      "From their end on, with their arguments, requests, answers and results. Nothing that still runs or is on its way.",
  },
  {
    kind: "payloadDays",
    label: "Details of the history",
    description:
      "What was asked and answered, word for word. That it happened, when, and who did it stays for ever, and can be verified.",
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
      description={`What is older is deleted for good, in the background. Finished tasks and details of the history are kept for at least ${plural(atLeast, "day")}.`}
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
                <option value="">For ever</option>
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
