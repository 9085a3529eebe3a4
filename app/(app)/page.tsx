import { redirect } from "next/navigation";
import { requireSession } from "@/lib/web/session.ts";

/** Each to their own desk: those who only decide start at the inbox, all others with what there is. */
export default async function Home() {
  const { role } = await requireSession();
  redirect(role === "approver" ? "/inbox" : "/overview");
}
