/** Masks `vera@example.com` as `v•••@example.com`, so that only its owner recognizes the address. */
export function maskedEmail(email: string): string {
  const at = email.lastIndexOf("@");
  return `${email.slice(0, 1)}•••${email.slice(at)}`;
}
