import { TextField } from "@/components/form/text-field.tsx";

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
