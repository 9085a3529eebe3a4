"use client";

import { type SubmitEvent, useRef, useState, useSyncExternalStore } from "react";
import type { z } from "zod";
import { ApiError, errorSentence } from "@/lib/web/client/base/client.ts";

export type FieldErrors = Record<string, string | undefined>;

/**
 * A fixed form around one zod schema, shared with its route: validates, sends, and shows errors at their
 * fields. The first field in error takes the focus.
 */
export function useForm<T extends z.ZodType>({
  schema,
  read,
  send,
  sentences = {},
}: {
  schema: T;
  read: (data: FormData) => unknown;
  send: (values: z.output<T>) => Promise<void>;
  /** Sentences by error code, where the API's own sentence is not enough. */
  sentences?: Record<string, string>;
}) {
  const form = useRef<HTMLFormElement>(null);
  const [errors, setErrors] = useState<FieldErrors>({});
  const [failure, setFailure] = useState<string | null>(null);
  const [pending, setPending] = useState(false);
  const hydrated = useHydrated();

  const refuse = (found: { field: string; message: string }[]) => {
    setErrors(Object.fromEntries(found.map((error) => [error.field, error.message])));
    const first = found[0] && form.current?.elements.namedItem(found[0].field);
    if (first instanceof HTMLElement) first.focus();
  };

  const onSubmit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (pending) return;
    setFailure(null);
    setErrors({});
    const parsed = schema.safeParse(read(new FormData(event.currentTarget)));
    if (!parsed.success) {
      return refuse(
        parsed.error.issues.map((issue) => ({ field: issue.path.join("."), message: issue.message })),
      );
    }
    setPending(true);
    try {
      await send(parsed.data);
    } catch (error) {
      if (error instanceof ApiError && error.errors.length > 0) refuse(error.errors);
      else
        setFailure((error instanceof ApiError ? sentences[error.code] : undefined) ?? errorSentence(error));
    } finally {
      setPending(false);
    }
  };

  return { form, errors, failure, pending, blocked: pending || !hydrated, onSubmit };
}

const never = () => () => {};

/**
 * Whether this page's scripts run. Before that a press does nothing, and a form would be sent by the browser itself, with
 * a password in the address: what is drawn on the server is disabled until then.
 */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
