import { TextField } from "@/components/form/text-field.tsx";

/** Asked before a new way to sign in is added: a browser left open must not be enough. */
export function ProofFields({ error }: { error: string | undefined }) {
  return (
    <TextField
      name="currentPassword"
      label="Your password"
      description="To be sure that it is you."
      type="password"
      autoComplete="current-password"
      error={error}
    />
  );
}
