/** `vera@example.com` as `v•••@example.com`: enough for whose it is to know it again. */
export function maskedEmail(email: string): string {
  const at = email.lastIndexOf("@");
  return `${email.slice(0, 1)}•••${email.slice(at)}`;
}
