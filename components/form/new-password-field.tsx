import { TextField } from "@/components/form/text-field.tsx";

/** Where a password is chosen; what it takes is `passwordSchema`'s to say, and told beforehand. */
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
      description="At least 10 characters."
      type="password"
      autoComplete="new-password"
      error={error}
    />
  );
}
