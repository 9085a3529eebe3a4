import { notFound } from "next/navigation";

/** Addresses that nothing else answers: told inside the shell, where the way back is. */
export default function MissingPage() {
  notFound();
}
