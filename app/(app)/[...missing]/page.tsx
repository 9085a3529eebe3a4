import { notFound } from "next/navigation";

/** Catches unknown URLs inside the shell, so that the navigation stays. */
export default function MissingPage() {
  notFound();
}
