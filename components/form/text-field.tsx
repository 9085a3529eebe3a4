import type { ComponentProps } from "react";
import { Field, Input } from "@/components/ui/field.tsx";

/** A labelled one-line text input of a fixed form. The input's id is its name. */
export function TextField({
  name,
  label,
  description,
  error,
  required = true,
  ...input
}: { name: string; label: string; description?: string; error?: string | undefined } & Omit<
  ComponentProps<"input">,
  "name" | "id"
>) {
  return (
    <Field id={name} label={label} description={description} error={error} required={required}>
      {(control) => <Input {...control} name={name} {...input} />}
    </Field>
  );
}

/** A field for choosing a password. States the rules of `passwordSchema` beforehand. */
export function NewPasswordField({
  label = "Password",
  error,
}: {
  label?: string;
  error: string | undefined;
}) {
  return (
    <TextField
      name="password"
      label={label}
      description="At least 10 characters, and not easy to guess."
      type="password"
      autoComplete="new-password"
      error={error}
    />
  );
}
