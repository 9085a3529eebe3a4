import { PlainText } from "@/components/text/plain-text.tsx";

/** Somebody to choose, with the address where the list has it: another one's name reads the same. */
export function PersonInList({
  person: { name, email },
  children,
}: {
  person: { name: string; email?: string | undefined };
  /** Beside the name. */
  children?: React.ReactNode;
}) {
  return (
    <span className="min-w-0 truncate">
      <PlainText text={name} />
      {children}
      {email && <span className="block truncate text-muted text-xs">{email}</span>}
    </span>
  );
}
