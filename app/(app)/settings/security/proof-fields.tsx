import { TextField } from "@/components/form/text-field.tsx";

/** The password, asked before a new way to sign in is added: an unattended browser must not be enough. */
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
